// Tests of conv_2d.
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

const std::vector<float> kWeights = {4, -1, 7, 2, 3, -5, 6, 1, -2};

simt::KernelReport convolve(int rows, int cols, const std::vector<float>& weight = kWeights) {
  const std::vector<float> in = check::small_numbers(static_cast<std::size_t>(rows * cols));
  const auto at = [&](int r, int c) {
    const bool inside = r >= 0 && r < rows && c >= 0 && c < cols;
    return inside ? static_cast<double>(in[static_cast<std::size_t>(r * cols + c)]) : 0.0;
  };
  std::vector<double> expected;
  for (int i = 0; i < rows * cols; ++i) {
    double sum = 0;
    for (int k = 0; k < 9; ++k)
      sum += weight[static_cast<std::size_t>(k)] * at(i / cols + k / 3 - 1, i % cols + k % 3 - 1);
    expected.push_back(sum);
  }
  return check::run_kernels(
      std::to_string(rows) + " x " + std::to_string(cols),
      [&](td::Device device) -> std::vector<td::Tensor> {
        const td::Tensor out = check::poisoned_output({rows, cols}, device);
        simt::launch<conv_2d>(
            {dim3(check::blocks_for(cols, 32), check::blocks_for(rows, 8)), dim3(32, 8)},
            check::tensor_of(in, device, {rows, cols}), check::tensor_of(weight, device), out, rows,
            cols);
        return {out};
      },
      {expected})[0];
}

}  // namespace

TEST_CASE("one row of three", "[conv_2d]") { convolve(1, 3, {0, 0, 0, 1, 1, 1, 0, 0, 0}); }

TEST_CASE("one tile, whole and partly empty", "[conv_2d]") {
  convolve(8, 32);
  convolve(1, 1);
  convolve(7, 31);
}

TEST_CASE("image: several tiles, which need elements of their neighbors", "[conv_2d]") {
  convolve(16, 64);
  convolve(9, 33);
  convolve(33, 1);
  convolve(1, 1023);
}

TEST_CASE("each block loads an element once; no bank conflicts, one barrier", "[conv_2d]") {
  // 3 x 3 tiles of 10 x 34 elements, less those outside of the matrix.
  const simt::KernelReport report = convolve(24, 96);
  check::expect_at_most(report, "loads of `in` by a thread",
                        report.profile.of("in", simt::kLoad).lanes, (24 + 4) * (96 + 4));
  const simt::Counts loads = report.profile.shared(simt::kLoad);
  check::expect_at_most(report, "passes to load from shared memory", loads.transfers, loads.ideal);
  check::expect_barriers_at_most(report, 1);
}
