// Tests of conv_1d.
#include <cmath>

#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

simt::KernelReport convolve(int n, int width, float unit = 1, int infinite = -1) {
  std::vector<float> in = check::small_numbers(static_cast<std::size_t>(n), unit);
  if (infinite >= 0) in[static_cast<std::size_t>(infinite)] = INFINITY;
  std::vector<float> weight;
  for (int k = 0; k < width; ++k) weight.push_back(static_cast<float>(k * k % 13 + 1));
  std::vector<double> expected(in.size(), 0);
  for (std::size_t i = 0; i < in.size(); ++i)
    for (std::size_t k = 0; k < weight.size() && i + k < in.size(); ++k)
      expected[i] += static_cast<double>(weight[k]) * in[i + k];
  return check::run_kernels("n = " + std::to_string(n) + ", width = " + std::to_string(width),
                            [&](td::Device device) -> std::vector<td::Tensor> {
                              const td::Tensor out = check::poisoned_output({n}, device);
                              simt::launch<conv_1d>({dim3(check::blocks_for(n, 128)), dim3(128)},
                                                    check::tensor_of(in, device),
                                                    check::tensor_of(weight, device), out, n,
                                                    width);
                              return {out};
                            },
                            {expected})[0];
}

}  // namespace

TEST_CASE("a few elements", "[conv_1d]") {
  convolve(4, 2);
  convolve(1, 1);
  convolve(1, 4);
}

TEST_CASE("convolution: one tile", "[conv_1d]") {
  for (const int n : {31, 33, 128}) convolve(n, 5);
}

TEST_CASE("convolution: numbers that are no integers", "[conv_1d]") {
  convolve(33, 5, check::kNoInteger);
}

TEST_CASE("convolution: an infinite element, which few results use", "[conv_1d]") {
  convolve(300, 5, 1, 130);
}

TEST_CASE("several tiles, whose last results need elements of the next tile", "[conv_1d]") {
  for (const int n : {129, 256, 1023}) convolve(n, 4);
}

TEST_CASE("one weight, and as many as there may be", "[conv_1d]") {
  convolve(1023, 1);
  convolve(300, 32);
}

TEST_CASE("convolution: each block loads an element once, and has one barrier", "[conv_1d]") {
  const simt::KernelReport report = convolve(1024, 32);
  check::expect_barriers_at_most(report, 1);
  check::expect_at_most(report, "loads of `in` by a thread",
                        report.profile.of("in", simt::kLoad).lanes, 7 * 160 + 128);
  check::expect_at_most(report, "loads of `weight` by a thread",
                        report.profile.of("weight", simt::kLoad).lanes, 8 * 32);
}
