// The results of the chapter's kernels on fixed inputs, as one number each: the sum of element i
// times i % 13. values.py prints the same numbers.
#include "values.h"

#include "exercises.h"

namespace {

void show(td::Device device) {
  using td::simt::launch;
  std::cout << "checksums on " << device << ": 1,000 elements\n";
  const int n = 1000;
  const td::Tensor a = integers({n}, 7919, 31, -15).to(device);
  const td::Tensor b = integers({n}, 104729, 17, -8).to(device);
  const td::Tensor c = td::empty_like(a);
  launch<add>({4, 256}, a, b, c, n);
  print("add", c);
  launch<saxpy>({2, 128}, n, 0.5f, a, c);
  print("saxpy", c);
  launch<scale4>({1, 256}, c, 4.0f, n);
  print("scale4", c);
  const td::Tensor image = c.narrow(0, 0, 960).view({30, 32}), out = td::empty_like(image);
  const dim3 grid(2, 4), block(16, 8);
  launch<flip>({grid, block}, image, out, 30, 32);
  print("flip", out);
  launch<broadcast_add>({grid, block}, a.narrow(0, 0, 30), b.narrow(0, 0, 32), out, 30, 32);
  print("broadcast_add", out);
  const td::Tensor indices = integers({30}, 7, 30, 0).to(td::kInt).to(device);
  launch<gather_rows>({30, 32}, image, indices, out, 32);
  print("gather_rows", out);
  launch<affine>({2, 32}, image, a.narrow(0, 0, 64), out, 30, 32);
  print("coalesce", out);
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) { return run_values(argc, argv, "ch11-values", show); }
