// Tests of transpose.
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

simt::KernelReport transpose_matrix(int rows, int cols) {
  const auto n = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  std::vector<float> in(n);
  std::vector<double> expected(n);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      in[static_cast<std::size_t>(r * cols + c)] = static_cast<float>(r * cols + c);
      expected[static_cast<std::size_t>(c * rows + r)] = r * cols + c;
    }
  return check::run_kernels(
      std::to_string(rows) + " x " + std::to_string(cols),
      [&](td::Device device) -> std::vector<td::Tensor> {
        const td::Tensor out = check::poisoned_output({cols, rows}, device);
        simt::launch<transpose>(
            {dim3(check::blocks_for(cols, 32), check::blocks_for(rows, 32)), dim3(32, 8)},
            check::tensor_of(in, device, {rows, cols}), out, rows, cols);
        return {out};
      },
      {expected})[0];
}

}  // namespace

TEST_CASE("a square of one tile and of four tiles", "[transpose]") {
  transpose_matrix(32, 32);
  transpose_matrix(64, 64);
}

TEST_CASE("more columns than rows, and more rows than columns", "[transpose]") {
  transpose_matrix(32, 96);
  transpose_matrix(96, 64);
}

TEST_CASE("tiles at the edge that are partly empty", "[transpose]") {
  transpose_matrix(2, 3);
  transpose_matrix(31, 33);
  transpose_matrix(33, 1);
  transpose_matrix(1, 1023);
}

TEST_CASE("load and store are coalesced", "[transpose]") {
  check::expect_coalesced(transpose_matrix(128, 192));
  check::expect_coalesced(transpose_matrix(72, 40));  // tiles at the edge have whole sectors, too
}

TEST_CASE("no bank conflicts, and one barrier", "[transpose]") {
  const simt::KernelReport report = transpose_matrix(96, 128);
  check::expect_no_bank_conflicts(report);
  check::expect_barriers_at_most(report, 1);
}
