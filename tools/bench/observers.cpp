// What the observers of the SIMT machine cost per access: the events of `add` and of a block sum of
// 65,536 threads, told without a machine, so that switches between threads do not count.
//     bench_observers
// Invariant: prints the least of ten runs of each.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "simt/observe/observers.h"

namespace {

using namespace td::simt;

constexpr unsigned kBlocks = 256, kThreads = 256;

/// Tells the events of one launch, and counts its accesses.
class Launch {
 public:
  Launch() : in_(kBlocks * kThreads), other_(in_), out_(in_), shared_(kThreads) {
    info_.kernel = "bench";
    info_.grid = kBlocks;
    info_.block = kThreads;
    for (std::vector<float>* tensor : {&in_, &other_, &out_})
      info_.arguments.push_back({"tensor",
                                 address(tensor->data()),
                                 tensor->size() * 4,
                                 4,
                                 "float",
                                 {kBlocks * kThreads},
                                 false});
    info_.shared.push_back({"s", "float", 4, address(shared_.data()), kThreads * 4, false});
  }

  /// Returns seconds.
  double run(const std::function<void(unsigned)>& block) {
    accesses_ = 0;
    const auto begin = std::chrono::steady_clock::now();
    observers_.begin_launch(info_);
    for (unsigned b = 0; b < kBlocks; ++b) {
      observers_.begin_block({b, 0, 0});
      block(b);
      observers_.end_block();
    }
    observers_.end_launch(info_);
    observers_.take();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  void add(unsigned block) {
    for (unsigned t = 0; t < kThreads; ++t) {
      const std::size_t i = block * kThreads + t;
      access(t, kLoad, &in_[i], 0);
      access(t, kLoad, &other_[i], 1);
      access(t, kStore, &out_[i], 2);
    }
  }
  void block_sum(unsigned block) {
    for (unsigned t = 0; t < kThreads; ++t) {
      access(t, kLoad, &in_[block * kThreads + t], 0);
      access(t, kStore, &shared_[t], 1);
    }
    observers_.barrier(&sites_[2]);
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
      for (unsigned t = 0; t < half; ++t) {
        access(t, kLoad, &shared_[t], 3);
        access(t, kLoad, &shared_[t + half], 4);
        access(t, kStore, &shared_[t], 5);
      }
      observers_.barrier(&sites_[6]);
    }
    access(0, kLoad, &shared_[0], 7);
    access(0, kStore, &out_[block], 0);
  }
  std::size_t accesses() const { return accesses_; }

 private:
  static std::uintptr_t address(const float* p) { return reinterpret_cast<std::uintptr_t>(p); }

  void access(unsigned thread, AccessKind kind, const float* p, int site) {
    const bool shared = p >= shared_.data() && p < shared_.data() + shared_.size();
    observers_.access({{thread, 0, 0}, thread}, {kind, shared ? Space::kShared : Space::kGlobal,
                                                 false, 0, 4, address(p), &sites_[site]});
    ++accesses_;
  }

  Observers observers_;
  LaunchInfo info_;
  Site sites_[8];
  std::vector<float> in_, other_, out_, shared_;
  std::size_t accesses_ = 0;
};

void report(const char* name, Launch& launch, const std::function<void(unsigned)>& block) {
  double least = 1e9;
  for (int i = 0; i < 10; ++i) least = std::min(least, launch.run(block));
  std::printf("%-10s %7zu accesses  %6.2f ms  %5.1f ns per access\n", name, launch.accesses(),
              least * 1e3, least * 1e9 / static_cast<double>(launch.accesses()));
}

}  // namespace

int main() {
  Launch launch;
  report("add", launch, [&](unsigned block) { launch.add(block); });
  report("block_sum", launch, [&](unsigned block) { launch.block_sum(block); });
}
