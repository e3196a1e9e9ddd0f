// The results of the chapter's kernels on fixed inputs, as one number each: the sum of element i
// times i % 13. The inputs are integers, so that every order of additions gives the same number.
// values.py prints the same numbers.
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "exercises.h"

namespace {

td::Tensor integers(td::IntArrayRef sizes, std::int64_t factor, std::int64_t modulus,
                    std::int64_t first) {
  td::Tensor tensor = td::empty(sizes);
  float* const data = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    data[i] = static_cast<float>(i * factor % modulus + first);
  return tensor;
}

void print(const char* name, const td::Tensor& result) {
  const td::Tensor host = result.cpu().to(td::kDouble).contiguous();
  double sum = 0;
  for (std::int64_t i = 0; i < host.numel(); ++i)
    sum += host.data_ptr<double>()[i] * static_cast<double>(i % 13);
  std::cout << std::setw(14) << name << std::fixed << std::setprecision(1) << std::setw(12) << sum
            << '\n';
}

void show(td::Device device) {
  using td::simt::launch;
  std::cout << "checksums on " << device
            << ": 1,000 elements, or matrices of 20 x 50 and 50 x 20\n";
  const int n = 1000;
  const td::Tensor a = integers({n}, 7919, 31, -15).to(device);
  const td::Tensor b = integers({n}, 104729, 17, -8).to(device);
  const td::Tensor c = td::empty_like(a), sums = td::empty({4}, a.options());
  launch<add>({4, 256}, a, b, c, n);
  print("add", c);
  launch<saxpy>({2, 128}, n, 0.5f, a, c);
  print("saxpy", c);
  launch<scale4>({1, 256}, c, 4.0f, n);
  print("scale4", c);
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
  const td::Tensor product = td::empty({20, 20}, a.options());
  launch<matmul>({{2, 2}, {16, 16}}, a, b, product, 20, 20, 50);
  print("matmul", product);
  print("gemm", gemm(a.view({20, 50}), b.view({50, 20})));
  const td::Tensor half_a = a.narrow(0, 0, 512).to(td::kHalf),
                   half_b = b.narrow(0, 0, 768).to(td::kHalf);
  const td::Tensor tile = td::empty({32, 48}, a.options());  // (32, 16) times (16, 48)
  launch<tensor_matmul>({{3, 2}, 32}, half_a, half_b, tile, 32, 48, 16);
  print("tensor_matmul", tile);
  const td::Tensor x = a.clone().requires_grad_();
  const td::Tensor capped = softcap(x, 10);
  capped.sum().backward();
  print("softcap", capped.detach());
  print("its gradient", x.grad());
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch11-values", "Prints checksums of what the chapter's kernels compute.");
  return command.run(argc, argv,
                     [](const app::Options& options) { show(app::choose_device(options)); });
}
