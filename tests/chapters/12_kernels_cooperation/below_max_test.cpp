// Tests of below_max.
#include "vectors.h"

namespace {

td::simt::KernelReport subtract_maxima(int n, int threads, int shift = 0) {
  const std::vector<float> in = check::mixed_numbers(n, shift);
  std::vector<double> expected;
  for (int i = 0; i < n; ++i) {
    const auto first = in.begin() + i / 32 * 32, last = in.begin() + std::min(n, i / 32 * 32 + 32);
    expected.push_back(static_cast<double>(in[static_cast<std::size_t>(i)]) -
                       *std::max_element(first, last));
  }
  return check::run_on_vector<below_max>(in, threads, expected);
}

}  // namespace

TEST_CASE("maximum of warps: one warp per block", "[below_max]") {
  subtract_maxima(32, 32);
  subtract_maxima(128, 32);
}

TEST_CASE("maximum of warps: several warps per block", "[below_max]") {
  subtract_maxima(256, 64);
  subtract_maxima(2048, 1024);
}

TEST_CASE("a last warp that is not full, and negative elements only", "[below_max]") {
  for (const int n : check::odd_sizes()) {
    subtract_maxima(n, 128);
    subtract_maxima(n, 128, -1000);
  }
  check::run_on_vector<below_max>(std::vector<float>(40, -3e38f), 64, std::vector<double>(40, 0));
}

TEST_CASE("maximum of warps: neither shared memory nor a barrier", "[below_max]") {
  check::expect_registers_only(subtract_maxima(512, 128));
}
