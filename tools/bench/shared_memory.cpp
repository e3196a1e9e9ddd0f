// All-reduce between two or more ranks of this host: gloo's own, over its loopback sockets, against
// the group's shared memory, for a tensor that must be copied there and for one that is there.
//   cmake --build --preset release --target bench_shared_memory
//   build/release/tools/bench/bench_shared_memory [ranks [seconds per row]]
// All run interleaved in the same processes. Prints medians in microseconds, as rank 0 sees them,
// and how many times faster than gloo, as the median of the rounds' ratios.
#include "raw_gloo.h"

namespace {

using namespace bench;

// One way to reduce a tensor, and the times of its runs.
struct Variant {
  std::function<void()> all_reduce;
  std::vector<double> times = {};
};

// True while rank 0 continues.
bool agree(bool more) {
  const td::Tensor flag = td::full({1}, more ? 1.0 : 0.0);
  dist::broadcast(flag);
  return flag.item<bool>();
}

void row(RawGloo& raw, std::int64_t bytes, double seconds) {
  const std::int64_t n = bytes / 4;
  const td::Tensor outside = td::zeros({n}), shared = dist::default_group().empty_shared(n, {});
  shared.fill_(0.0);
  Variant variants[] = {{[&] { raw.all_reduce(outside); }},
                        {[&] { dist::all_reduce(outside); }},
                        {[&] { dist::all_reduce(shared); }}};
  std::vector<double> copied, in_place;  // how many times faster
  const auto start = Clock::now();
  do {
    // The first call of each run warms up the caches after the other variants.
    for (Variant& variant : variants)
      for (int i = -1; i < 5; ++i) {
        dist::barrier();
        const double time = microseconds(variant.all_reduce);
        if (i >= 0) variant.times.push_back(time);
      }
    for (std::size_t i = variants[0].times.size() - 5; i < variants[0].times.size(); ++i) {
      copied.push_back(variants[0].times[i] / variants[1].times[i]);
      in_place.push_back(variants[0].times[i] / variants[2].times[i]);
    }
  } while (agree(std::chrono::duration<double>(Clock::now() - start).count() < seconds));
  if (dist::get_rank()) return;
  std::printf("%10lld", static_cast<long long>(bytes));
  for (const Variant& c : variants) std::printf(" %12.1f", median(c.times));
  std::printf(" %9.1fx %9.1fx\n", median(copied), median(in_place));
  std::fflush(stdout);
}

void run(double seconds) {
  ::setenv("TD_TRANSPORT", "shm", 1);
  dist::init_process_group("gloo");
  RawGloo raw;
  if (!dist::get_rank())
    std::printf("%d ranks, us\n%10s %12s %12s %12s %10s %10s\n", dist::get_world_size(), "bytes",
                "raw gloo", "copied", "in place", "copied", "in place");
  for (const std::int64_t bytes : {4, 1 << 10, 64 << 10, 1 << 20, 2'676'776, 4 << 20, 32 << 20})
    row(raw, bytes, seconds);
  std::vector<double> barriers;
  for (int i = 0; i < 200; ++i)
    barriers.push_back(microseconds([] {
                         for (int k = 0; k < 100; ++k) dist::barrier();
                       }) /
                       100);
  if (!dist::get_rank()) std::printf("a barrier takes %.2f us\n", median(barriers));
  dist::destroy_process_group();
}

}  // namespace

int main(int argc, char** argv) { return bench::start_ranks(argc, argv, run); }
