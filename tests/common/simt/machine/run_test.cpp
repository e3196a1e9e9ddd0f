// Launches without an observer on several OS threads, each of which runs blocks of its own.
#include "simt/run.h"

#include "catch.h"
#include "kernels.h"
#include "td/base/parallel.h"

using namespace td::simt;

namespace {

/// Runs on this number of OS threads until the end of the scope.
struct Width {
  explicit Width(int width) : before(td::parallel_width()) { td::set_parallel_width(width); }
  ~Width() { td::set_parallel_width(before); }
  const int before;
};

template <class Arguments>
std::vector<Finding> run_plain(void (*call)(const void*), const Arguments& arguments, unsigned grid,
                               unsigned block, Order order = Order::kForward) {
  Launch launch;
  launch.info.grid = dim3(grid);
  launch.info.block = dim3(block);
  launch.call = call;
  launch.arguments = &arguments;
  return run(launch, nullptr, {order, 7});
}

}  // namespace

TEST_CASE("Blocks on several OS threads have shared memory of their own") {
  const Width width(4);
  struct Arguments {
    const float* in;
    float* out;
  };
  std::vector<float> in(256 * 256), out(256);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i / 256);
  for (const auto order : {Order::kForward, Order::kReversed, Order::kRandom}) {
    std::fill(out.begin(), out.end(), -1.0f);
    const auto findings = run_plain(
        [](const void* a) {
          const auto& [from, to] = *static_cast<const Arguments*>(a);
          block_sum(from, to, 256 * 256);
        },
        Arguments{in.data(), out.data()}, 256, 256, order);
    CHECK(findings.empty());
    for (std::size_t b = 0; b < 256; ++b) CHECK(out[b] == 256 * static_cast<float>(b));
  }
}

TEST_CASE("Atomic functions are atomic among OS threads") {
  const Width width(4);
  struct Memory {
    int ints[9] = {};
    unsigned counts[2] = {};
    float floats[1] = {};
    double doubles[1] = {};
    unsigned long long wide[1] = {};
  } memory;
  Memory* const arguments = &memory;
  run_plain(
      [](const void* a) {
        Memory& m = **static_cast<Memory* const*>(a);
        ::atomics(m.ints, m.counts, m.floats, m.doubles, m.wide);
      },
      arguments, 256, 128);
  constexpr int kThreads = 256 * 128;
  CHECK(memory.ints[1] == -kThreads);
  CHECK(memory.floats[0] == 0.5f * kThreads);
  CHECK(memory.doubles[0] == 0.25 * kThreads);
  CHECK(memory.wide[0] == std::uint64_t{kThreads} << 40);
  CHECK(memory.counts[0] == kThreads % 10);
}

TEST_CASE("Faults on several OS threads end the launch, and the next one works") {
  const Width width(4);
  struct Arguments {
    const int* in;
    int* out;
  };
  std::vector<int> in(32), out(32);
  const auto call = [](const void* a) {
    const auto& [from, to] = *static_cast<const Arguments*>(a);
    divide(from, to);
  };
  for (int i = 0; i < 20; ++i) {
    CHECK_FALSE(run_plain(call, Arguments{in.data(), out.data()}, 64, 32).empty());
    std::vector<int> ones(32, 1);
    CHECK(run_plain(call, Arguments{ones.data(), out.data()}, 64, 32).empty());
    CHECK(out[31] == 12);
  }
}
