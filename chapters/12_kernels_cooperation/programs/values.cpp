// The results of the chapter's kernels on fixed inputs, as one number each: the sum of element i
// times i % 13. values.py prints the same numbers.
#include "../11_kernels_threads/values.h"

#include "exercises.h"

namespace {

void show(td::Device device) {
  using td::simt::launch;
  std::cout << "checksums on " << device << ": 1,000 elements, or a matrix of 20 x 50\n";
  const int n = 1000;
  const td::Tensor a = integers({n}, 7919, 31, -15).to(device);
  const td::Tensor b = integers({n}, 104729, 17, -8).to(device);
  const td::Tensor sums = td::empty({4}, a.options());
  launch<block_sum>({4, 256}, a, sums, n);
  print("block_sum", sums);
  launch<warp_sum>({4, 256}, b, sums, n);
  print("warp_sum", sums);
  const td::Tensor bytes = integers({n}, 7919, 200, 0).to(td::kByte).to(device);
  const td::Tensor bins = td::zeros({256}, bytes.options().dtype(td::kInt));
  launch<histogram>({2, 128}, bytes, n, bins);
  print("histogram", bins);
  const td::Tensor numbers = a.to(td::kInt), running = td::empty_like(numbers);
  const td::Tensor totals = td::empty({4}, numbers.options()), carry = td::empty_like(totals);
  launch<scan>({4, 256}, numbers, running, totals, n);
  launch<scan>({1, 256}, totals, carry, totals.narrow(0, 3, 1), 4);
  launch<add_carry>({4, 256}, running, carry, n);
  print("scan", running);
  const td::Tensor turned = td::empty({50, 20}, a.options());
  launch<transpose>({{2, 1}, {32, 8}}, a, turned, 20, 50);
  print("transpose", turned);
  const td::Tensor product = td::zeros({1}, a.options());
  launch<dot>({2, 256}, a, b, product, n);
  print("dot", td::cat({product, product}));
  const td::Tensor row = td::empty_like(a);
  launch<max_pool>({4, 256}, a, row, n);
  print("max_pool", row);
  launch<conv_1d>({8, 128}, a, b, row, n, 5);
  print("conv_1d", row);
  launch<conv_2d>({{2, 3}, {32, 8}}, a, b, row, 20, 50);
  print("conv_2d", row);
  launch<sum_of_rows>({3, {32, 8}}, a, row, 20, 50);
  print("sum_of_rows", row.narrow(0, 0, 20));
  launch<sum_of_columns>({1, 256}, a, row, 20, 50);
  print("sum_of_columns", row.narrow(0, 0, 50));
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) { return run_values(argc, argv, "ch12-values", show); }
