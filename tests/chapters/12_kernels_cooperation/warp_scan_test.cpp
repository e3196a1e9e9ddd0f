// Tests of warp_scan.
#include <limits>

#include "vectors.h"

namespace {

td::simt::KernelReport scan_warps(int n, int threads, float unit = 1) {
  const std::vector<float> in = check::mixed_numbers(n, 0, unit);
  std::vector<double> expected;
  for (std::size_t i = 0; i < in.size(); ++i)
    expected.push_back(in[i] + (i % 32 == 0 ? 0 : expected.back()));
  return check::run_on_vector<warp_scan>(in, threads, expected);
}

}  // namespace

TEST_CASE("scan of warps: one warp per block", "[warp_scan]") {
  scan_warps(32, 32);
  scan_warps(96, 32);
}

TEST_CASE("scan of warps: several warps per block", "[warp_scan]") {
  scan_warps(256, 64);
  scan_warps(2048, 1024);
}

TEST_CASE("a last warp that is not full", "[warp_scan]") {
  for (const int n : check::odd_sizes()) scan_warps(n, 128);
  scan_warps(100, 64, check::kNoInteger);
}

TEST_CASE("scan of warps: an infinite element", "[warp_scan]") {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<float> in(40, 1);
  in[5] = std::numeric_limits<float>::infinity();
  std::vector<double> expected;
  for (int i = 0; i < 40; ++i) expected.push_back(i >= 5 && i < 32 ? infinity : i % 32 + 1.0);
  check::run_on_vector<warp_scan>(in, 64, expected);
}

TEST_CASE("scan of warps: neither shared memory nor a barrier", "[warp_scan]") {
  const td::simt::KernelReport report = scan_warps(512, 128);
  check::expect_registers_only(report);
  check::expect_at_most(report, "loads of `in` by a thread",
                        report.profile.of("in", td::simt::kLoad).lanes, 512);
}
