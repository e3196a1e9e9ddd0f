// Tests of max_pool.
#include "vectors.h"

namespace {

td::simt::KernelReport pool(const std::vector<float>& in) {
  const int n = static_cast<int>(in.size());
  std::vector<double> expected;
  for (int i = 0; i < n; ++i) {
    const auto first = in.begin() + std::max(0, i - 1), last = in.begin() + std::min(n, i + 2);
    expected.push_back(*std::max_element(first, last));
  }
  return check::run_on_vector<max_pool>(in, 256, expected);
}

td::simt::KernelReport pool(int n, int shift = 0) { return pool(check::mixed_numbers(n, shift)); }

}  // namespace

TEST_CASE("maxima: one tile", "[max_pool]") {
  pool(256);
  for (const int n : {1, 2, 31, 33}) pool(n);
}

TEST_CASE("negative elements only", "[max_pool]") {
  for (const int n : {1, 33, 256, 512}) pool(n, -1000);
  pool(std::vector<float>(300, -3e38f));
}

TEST_CASE("maxima: several tiles, which need elements of their neighbors", "[max_pool]") {
  for (const int n : {257, 512, 1023, 2048}) pool(n);
}

TEST_CASE("maxima: each block loads an element once, and has one barrier", "[max_pool]") {
  const td::simt::KernelReport report = pool(2048);
  check::expect_barriers_at_most(report, 1);
  check::expect_at_most(report, "loads of `in` by a thread",
                        report.profile.of("in", td::simt::kLoad).lanes, 2048 + 2 * 7);
}
