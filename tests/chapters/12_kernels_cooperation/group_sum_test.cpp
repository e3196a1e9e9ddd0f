// Tests of group_sum.
#include "vectors.h"

namespace {

td::simt::KernelReport sum_groups(int n, int threads, float unit = 1) {
  const std::vector<float> in = check::mixed_numbers(n, 0, unit);
  std::vector<double> expected(check::blocks_for(n, 8), 0);
  for (std::size_t i = 0; i < in.size(); ++i) expected[i / 8] += in[i];
  return check::run_on_vector<group_sum>(in, threads, expected);
}

}  // namespace

TEST_CASE("groups: one block", "[group_sum]") {
  sum_groups(8, 8);
  sum_groups(64, 64);
}

TEST_CASE("groups: several blocks", "[group_sum]") {
  sum_groups(240, 24);
  sum_groups(512, 64);
  sum_groups(2048, 1024);
}

TEST_CASE("a last group that is not full", "[group_sum]") {
  sum_groups(10, 16);
  for (const int n : check::odd_sizes()) sum_groups(n, 128);
}

TEST_CASE("groups: numbers that are no integers", "[group_sum]") {
  sum_groups(100, 24, check::kNoInteger);
}

TEST_CASE("groups: neither shared memory nor a barrier", "[group_sum]") {
  check::expect_registers_only(sum_groups(512, 128));
}
