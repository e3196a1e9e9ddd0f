// Tests of row_softmax.
#include <algorithm>
#include <cmath>

#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

/// Numbers between -range and range, plus `shift`.
std::vector<float> numbers(int n, float range, float shift) {
  std::vector<float> all;
  for (int i = 0; i < n; ++i)
    all.push_back(shift + range * (static_cast<float>(i * i % 1009 * 31 % 1009) / 504 - 1));
  return all;
}

std::vector<double> softmax(const std::vector<float>& in, int cols) {
  std::vector<double> out;
  for (auto row = in.begin(); row != in.end(); row += cols) {
    const double largest = *std::max_element(row, row + cols);
    double sum = 0;
    for (int c = 0; c < cols; ++c) sum += std::exp(row[c] - largest);
    for (int c = 0; c < cols; ++c) out.push_back(std::exp(row[c] - largest) / sum);
  }
  return out;
}

simt::KernelReport run_softmax(int rows, int cols, float range = 3, float shift = 0) {
  const std::vector<float> in = numbers(rows * cols, range, shift);
  return check::run_kernels(
      std::to_string(rows) + " x " + std::to_string(cols) + ", first " + std::to_string(in[0]),
      [&](td::Device device) -> std::vector<td::Tensor> {
        const td::Tensor out = check::poisoned_output({rows, cols}, device);
        simt::launch<row_softmax>({dim3(check::blocks_for(rows, 4)), dim3(32, 4)},
                                  check::tensor_of(in, device, {rows, cols}), out, rows, cols);
        return {out};
      },
      {softmax(in, cols)}, {}, 1e-6)[0];
}

}  // namespace

TEST_CASE("whole warps and whole blocks", "[row_softmax]") {
  run_softmax(4, 32);
  run_softmax(8, 128);
}

TEST_CASE("rows of any length, and any number of rows", "[row_softmax]") {
  run_softmax(1, 1);
  run_softmax(3, 31);
  run_softmax(5, 33);
  run_softmax(2, 1023);
}

TEST_CASE("large numbers, and rows without a positive one", "[row_softmax]") {
  run_softmax(4, 33, 3, 1000);
  run_softmax(4, 33, 3, -1000);
  run_softmax(4, 100, 500);
  run_softmax(2, 40, 0, -3e38f);
}

TEST_CASE("three loads of each element, coalesced", "[row_softmax]") {
  const simt::KernelReport report = run_softmax(8, 256);
  check::expect_coalesced(report);
  // And one more per row, for a maximum that begins with the first element.
  check::expect_at_most(report, "loads of `in` by a warp",
                        report.profile.of("in", simt::kLoad).requests, 3 * 8 * 256 / 32 + 8);
}
