// Tests of axis_sum.
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

/// Both kernels on one matrix; first the report of sum_of_rows.
std::vector<simt::KernelReport> add_up(int rows, int cols, float unit = 1) {
  const std::vector<float> in = check::small_numbers(static_cast<std::size_t>(rows * cols), unit);
  std::vector<double> of_rows(static_cast<std::size_t>(rows), 0);
  std::vector<double> of_columns(static_cast<std::size_t>(cols), 0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    of_rows[i / of_columns.size()] += in[i];
    of_columns[i % of_columns.size()] += in[i];
  }
  return check::run_kernels(
      std::to_string(rows) + " x " + std::to_string(cols),
      [&](td::Device device) -> std::vector<td::Tensor> {
        const td::Tensor matrix = check::tensor_of(in, device, {rows, cols});
        const td::Tensor first = check::poisoned_output({rows}, device);
        const td::Tensor second = check::poisoned_output({cols}, device);
        simt::launch<sum_of_rows>({dim3(check::blocks_for(rows, 8)), dim3(32, 8)}, matrix, first,
                                  rows, cols);
        simt::launch<sum_of_columns>({dim3(check::blocks_for(cols, 256)), dim3(256)}, matrix,
                                     second, rows, cols);
        return {first, second};
      },
      {of_rows, of_columns}, {"sum_of_rows", "sum_of_columns"});
}

}  // namespace

TEST_CASE("two rows of three", "[axis_sum]") { add_up(2, 3); }

TEST_CASE("whole blocks", "[axis_sum]") { add_up(16, 256); }

TEST_CASE("sizes that fill neither a warp nor a block", "[axis_sum]") {
  add_up(1, 1);
  add_up(31, 33);
  add_up(33, 31);
  add_up(1, 1023);
  add_up(1023, 1);
}

TEST_CASE("rows and columns of numbers that are no integers", "[axis_sum]") {
  add_up(31, 37, check::kNoInteger);
}

TEST_CASE("each sum is stored once", "[axis_sum]") {
  const std::size_t sums[] = {16, 64};
  const std::vector<simt::KernelReport> reports = add_up(16, 64);
  for (std::size_t i = 0; i < 2; ++i) {
    const simt::Profile& profile = reports[i].profile;
    check::expect_at_most(reports[i], "stores to `out` by a thread",
                          profile.of("out", simt::kStore).lanes, sums[i]);
    check::expect_at_most(reports[i], "atomic operations on `out`",
                          profile.of("out", simt::kAtomic).lanes, 0);
  }
}

TEST_CASE("each element is loaded once, and loads are coalesced", "[axis_sum]") {
  for (const simt::KernelReport& report : add_up(24, 512)) {
    check::expect_coalesced(report);
    check::expect_at_most(report, "loads of `in` by a warp",
                          report.profile.of("in", simt::kLoad).requests, 24 * 512 / 32);
  }
}
