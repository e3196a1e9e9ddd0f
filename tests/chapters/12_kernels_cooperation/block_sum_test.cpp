// Tests of block_sum.
#include "sums.h"

TEST_CASE("whole blocks of 256", "[block_sum]") {
  sum_blocks<block_sum>(256, 256);
  sum_blocks<block_sum>(1024, 256);
}

TEST_CASE("a last block that is not full", "[block_sum]") {
  for (const int n : check::odd_sizes()) sum_blocks<block_sum>(n, 256);
}

TEST_CASE("numbers that are no integers, in a tree", "[block_sum]") {
  sum_blocks<block_sum>(300, 256, check::kNoInteger);
}

TEST_CASE("at most nine barriers, and no bank conflicts", "[block_sum]") {
  const td::simt::KernelReport report = sum_blocks<block_sum>(2048, 256);
  check::expect_barriers_at_most(report, 9);
  check::expect_no_bank_conflicts(report);
  check::expect_coalesced(report);
}

TEST_CASE("half of the threads add, then a quarter, in whole warps", "[block_sum]") {
  // A tree needs 12 requests each for two loads and a store, and 9 for the first and the last step.
  const td::simt::KernelReport report = sum_blocks<block_sum>(1024, 256);
  check::expect_at_most(report, "requests to shared memory", report.profile.shared().requests,
                        4 * 64);
  check::expect_at_most(report, "atomic requests to shared memory",
                        report.profile.shared(td::simt::kAtomic).requests, 0);
}

TEST_CASE("65,536 elements in 256 blocks", "[block_sum]") { sum_blocks<block_sum>(65536, 256); }
