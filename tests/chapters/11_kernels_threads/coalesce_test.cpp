// Tests of coalesce.
#include "blocks.h"
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

simt::KernelReport run_affine(int rows, int cols, unsigned blocks, unsigned threads) {
  const std::vector<float> in =
      check::small_numbers(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  std::vector<float> scale_shift;
  for (int c = 0; c < cols; ++c) {
    scale_shift.push_back(static_cast<float>(c % 9 + 1));
    scale_shift.push_back(static_cast<float>(100 * c));
  }
  std::vector<double> expected;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t c = i % static_cast<std::size_t>(cols);
    expected.push_back(in[i] * scale_shift[2 * c] + scale_shift[2 * c + 1]);
  }
  const std::string what = std::to_string(rows) + " x " + std::to_string(cols) + " with " +
                           std::to_string(blocks) + " blocks of " + std::to_string(threads);
  const auto work = [&](td::Device device) -> std::vector<td::Tensor> {
    const td::Tensor matrix = check::tensor_of(in, device, {rows, cols});
    const td::Tensor pairs = check::tensor_of(scale_shift, device);
    const td::Tensor out = check::poisoned_output({rows, cols}, device);
    simt::launch<affine>({dim3(blocks), dim3(threads)}, matrix, pairs, out, rows, cols);
    return {out, matrix};  // The argument stays as it is.
  };
  return check::run_kernels(what, work, {expected, {in.begin(), in.end()}}, {"`out`", "`in`"})[0];
}

}  // namespace

TEST_CASE("the matrix of the example", "[coalesce]") { run_affine(2, 2, 1, 32); }

TEST_CASE("each access takes the least sectors", "[coalesce]") {
  check::expect_coalesced(run_affine(64, 96, 2, 64));
  check::expect_coalesced(run_affine(40, 32, 4, 32));
}

TEST_CASE("fewer threads than elements, and more", "[coalesce]") {
  run_affine(33, 31, 3, 32);
  run_affine(1, 33, 4, 64);
  run_affine(31, 1, 2, 64);
}

TEST_CASE("rows of 1,023 elements, and a block that is no multiple of a warp", "[coalesce]") {
  run_affine(3, 1023, 2, 96);
  run_affine(5, 7, 2, 5);
}

TEST_CASE("all threads share the work", "[coalesce]") {
  const simt::KernelReport report = run_affine(64, 64, 4, 64);
  check::expect_at_most(report, "requests to global memory", report.profile.global().requests,
                        3 * 64 * 64 / 32);
  std::vector<float> in(64 * 64, 1), scale_shift(2 * 64, 2), out(in.size());
  check::expect_all_blocks_read(4, 64, in, "in",
                                [&] { affine(in.data(), scale_shift.data(), out.data(), 64, 64); });
}
