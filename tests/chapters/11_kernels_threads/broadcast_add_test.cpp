// Tests of broadcast_add.
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

simt::KernelReport add_column_and_row(int rows, int cols, dim3 block = {32, 8}) {
  std::vector<float> column, row;
  for (int r = 0; r < rows; ++r) column.push_back(static_cast<float>(2000 * (r + 1)));
  for (int c = 0; c < cols; ++c) row.push_back(static_cast<float>(c % 7 - c));
  std::vector<double> expected;
  for (const float left : column)
    for (const float right : row) expected.push_back(left + right);
  const std::string what = std::to_string(rows) + " rows and " + std::to_string(cols) +
                           " columns with blocks of (" + std::to_string(block.x) + ", " +
                           std::to_string(block.y) + ")";
  const auto work = [&](td::Device device) -> std::vector<td::Tensor> {
    const td::Tensor left = check::tensor_of(column, device), right = check::tensor_of(row, device);
    const td::Tensor out = check::poisoned_output({rows, cols}, device);
    simt::launch<broadcast_add>(
        {dim3(check::blocks_for(cols, block.x), check::blocks_for(rows, block.y)), block}, left,
        right, out, rows, cols);
    return {out, left, right};  // The arguments stay as they are.
  };
  return check::run_kernels(what, work,
                            {expected, {column.begin(), column.end()}, {row.begin(), row.end()}},
                            {"`out`", "`column`", "`row`"})[0];
}

}  // namespace

TEST_CASE("a column of two and a row of three elements", "[broadcast_add]") {
  add_column_and_row(2, 3);
}

TEST_CASE("results of whole blocks: square, wide and high", "[broadcast_add]") {
  add_column_and_row(32, 32);
  add_column_and_row(16, 96);
  add_column_and_row(64, 32);
}

TEST_CASE("results whose edges do not fill a block", "[broadcast_add]") {
  add_column_and_row(31, 33);
  add_column_and_row(33, 31);
  add_column_and_row(1, 1023);
  add_column_and_row(1023, 1);
}

TEST_CASE("a broadcast in blocks of other sizes", "[broadcast_add]") {
  add_column_and_row(20, 50, {16, 4});
  add_column_and_row(50, 20, {4, 16});
  add_column_and_row(3, 130, {128, 2});
  add_column_and_row(130, 3, {1, 128});
}

TEST_CASE("a thread without an element stores nothing", "[broadcast_add]") {
  const simt::KernelReport report = add_column_and_row(31, 33);
  check::expect_at_most(report, "stores to `out` by a thread",
                        report.profile.of("out", simt::kStore).lanes, 31 * 33);
}

TEST_CASE("three requests per warp, and coalesced", "[broadcast_add]") {
  const simt::KernelReport report = add_column_and_row(64, 128);
  check::expect_coalesced(report);
  check::expect_at_most(report, "requests to global memory", report.profile.global().requests,
                        3 * 64 * 128 / 32);
}
