// Tests of warp_sum.
#include "sums.h"

TEST_CASE("whole blocks of one warp to 32 warps", "[warp_sum]") {
  for (const int threads : {32, 64, 256, 1024}) sum_blocks<warp_sum>(2 * threads, threads);
}

TEST_CASE("the last warps have no elements", "[warp_sum]") {
  for (const int n : check::odd_sizes()) {
    sum_blocks<warp_sum>(n, 256);
    sum_blocks<warp_sum>(n, 96);
  }
}

TEST_CASE("numbers that are no integers, by shuffles", "[warp_sum]") {
  sum_blocks<warp_sum>(300, 96, check::kNoInteger);
}

TEST_CASE("one barrier, and the first warp adds the sums of all warps", "[warp_sum]") {
  const td::simt::KernelReport report = sum_blocks<warp_sum>(16384, 256);
  check::expect_barriers_at_most(report, 1);
  check::expect_at_most(report, "requests to shared memory", report.profile.shared().requests,
                        report.profile.warps + 2 * 16384 / 256);
  check::expect_coalesced(report);
  check::expect_at_most(report, "atomic operations on `out`",
                        report.profile.of("out", td::simt::kAtomic).lanes, 0);
}

TEST_CASE("65,536 elements in 256 blocks, by shuffles", "[warp_sum]") {
  sum_blocks<warp_sum>(65536, 256);
}
