// Tests of gather_rows.
#include <cmath>

#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

simt::KernelReport gather(int dim, const std::vector<int>& indices, unsigned threads = 64) {
  const int rows = 9;
  std::vector<float> table;
  for (int i = 0; i < rows * dim; ++i) table.push_back(static_cast<float>(i + 1));
  table.front() = INFINITY;  // A kernel that multiplies it by 0 for padding stores NaN.
  std::vector<double> expected;
  for (const int index : indices)
    for (int j = 0; j < dim; ++j)
      expected.push_back(index < 0 ? 0 : table[static_cast<std::size_t>(index * dim + j)]);
  const auto count = static_cast<std::int64_t>(indices.size());
  const std::string what = std::to_string(count) + " rows of " + std::to_string(dim) +
                           " elements with blocks of " + std::to_string(threads);
  const auto work = [&](td::Device device) -> std::vector<td::Tensor> {
    const td::Tensor from = check::tensor_of(table, device, {rows, dim});
    const td::Tensor which = td::tensor(indices, td::TensorOptions().dtype(td::kInt)).to(device);
    const td::Tensor out = check::poisoned_output({count, dim}, device);
    simt::launch<gather_rows>({dim3(static_cast<unsigned>(count)), dim3(threads)}, from, which, out,
                              dim);
    return {out, from};  // The table stays as it is.
  };
  return check::run_kernels(what, work, {expected, {table.begin(), table.end()}},
                            {"`out`", "`table`"})[0];
}

}  // namespace

TEST_CASE("a row for each of 64 threads", "[gather_rows]") { gather(64, {3, 0, 8, 5}); }

TEST_CASE("the same row twice, and padding", "[gather_rows]") {
  gather(2, {2, -1, 2});
  gather(96, {-1, 8, -7, 8, 0});
}

TEST_CASE("one row", "[gather_rows]") { gather(64, {4}); }

TEST_CASE("rows with fewer and with more elements than the block has threads", "[gather_rows]") {
  for (const int dim : check::odd_sizes()) gather(dim, {1, -1, 8}, 32);
  gather(100, {6, 2}, 48);
  gather(5, {6, 2, 3}, 1);
}

TEST_CASE("neighboring threads access neighboring elements of a row", "[gather_rows]") {
  const simt::KernelReport report = gather(512, {7, 1, 1, 4}, 128);
  check::expect_coalesced(report);
}
