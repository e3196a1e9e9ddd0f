// The results of the chapter's kernels on fixed inputs, as one number each: the sum of element i
// times i % 13. values.py prints the same numbers.
#include "../11_kernels_threads/values.h"

#include "exercises.h"

namespace {

void show(td::Device device) {
  using td::simt::launch;
  std::cout << "checksums on " << device
            << ": matrices of 20 x 50 and 50 x 20, or 1,000 elements\n";
  const int n = 1000;
  const td::Tensor a = integers({n}, 7919, 31, -15).to(device);
  const td::Tensor b = integers({n}, 104729, 17, -8).to(device);
  const td::Tensor product = td::empty({20, 20}, a.options());
  launch<naive_matmul>({{1, 3}, {32, 8}}, a, b, product, 20, 20, 50);
  print("naive_matmul", product);
  launch<matmul>({{2, 2}, {16, 16}}, a, b, product, 20, 20, 50);
  print("matmul", product);
  launch<register_matmul>({{1, 1}, {16, 16}}, a, b, product, 20, 20, 50);
  print("register_matmul", product);
  const td::Tensor whole = td::empty({16, 48}, a.options());  // (16, 16) times (16, 48)
  launch<async_matmul>({{3, 1}, {16, 16}}, a, b, whole, 16, 48, 16);
  print("async_matmul", whole);
  print("gemm", gemm(a.view({20, 50}), b.view({50, 20})));
  const td::Tensor half_a = a.narrow(0, 0, 512).to(td::kHalf),
                   half_b = b.narrow(0, 0, 768).to(td::kHalf);
  const td::Tensor tile = td::empty({32, 48}, a.options());  // (32, 16) times (16, 48)
  launch<tensor_matmul>({{3, 2}, 32}, half_a, half_b, tile, 32, 48, 16);
  print("tensor_matmul", tile);
  const td::Tensor sum = half_b.clone();
  launch<half2_saxpy>({3, 128}, 512, half(3.0f), half_a, sum);
  print("half2_saxpy", sum);
  const td::Tensor attended = td::empty({10, 20}, a.options());  // 10 queries, 50 keys
  launch<attention>({10, 32}, a, b, a, attended, 50, 20);
  print("attention", attended);
  const td::Tensor x = a.clone().requires_grad_();
  const td::Tensor capped = softcap(x, 10);
  capped.sum().backward();
  print("softcap", capped.detach());
  print("its gradient", x.grad());
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) { return run_values(argc, argv, "ch13-values", show); }
