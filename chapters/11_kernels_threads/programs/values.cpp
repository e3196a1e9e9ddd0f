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
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) { return run_values(argc, argv, "ch11-values", show); }
