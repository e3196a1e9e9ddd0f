// Tests of roll_tile.
#include "vectors.h"

namespace {

td::simt::KernelReport roll(int n, float unit = 1) {
  const std::vector<float> in = check::mixed_numbers(n, 0, unit);
  std::vector<double> expected(in.begin(), in.end());
  for (int first = 0; first < n; first += 256)
    std::rotate(expected.begin() + first, expected.begin() + first + 1,
                expected.begin() + std::min(n, first + 256));
  return check::run_on_vector<roll_tile>(in, 256, expected);
}

}  // namespace

TEST_CASE("one whole tile, and several", "[roll_tile]") {
  roll(256);
  roll(1024);
}

TEST_CASE("a last tile with fewer elements", "[roll_tile]") {
  roll(259);
  for (const int n : check::odd_sizes()) roll(n);
  roll(259, check::kNoInteger);
}

TEST_CASE("through shared memory, with one barrier", "[roll_tile]") {
  const td::simt::KernelReport report = roll(1024);
  check::expect_barriers_at_most(report, 1);
  check::expect_at_most(report, "loads of `in` by a thread",
                        report.profile.of("in", td::simt::kLoad).lanes, 1024);
  const bool is_shared = report.profile.shared(td::simt::kStore).lanes > 0 &&
                         report.profile.shared(td::simt::kLoad).lanes > 0;
  check::expect(is_shared,
                "the elements do not go through shared memory: store each one in s, and "
                "read it from there");
}
