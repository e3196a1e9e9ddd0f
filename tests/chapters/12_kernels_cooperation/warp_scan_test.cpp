// Tests of warp_scan.
#include "vectors.h"

namespace {

td::simt::KernelReport scan_warps(int n, int threads) {
  const std::vector<float> in = check::mixed_numbers(n);
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
}

TEST_CASE("scan of warps: neither shared memory nor a barrier", "[warp_scan]") {
  check::expect_registers_only(scan_warps(512, 128));
}
