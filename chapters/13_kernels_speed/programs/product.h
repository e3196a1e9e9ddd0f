// What the programs product_*.cu share: the matrices, the copies, and a test of the result.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("CUDA error: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// The number of elements of `c` that are not those of the product of a and b, all n x n.
inline int wrong_elements(const std::vector<float>& a, const std::vector<float>& b,
                          const std::vector<float>& c, int n) {
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int p = 0; p < n; ++p) sum += a[i * n + p] * b[p * n + j];
      wrong += c[i * n + j] != sum;
    }
  return wrong;
}

/// Multiplies two matrices of integers, whose product is exact in any order.
/// @param launch is called once, with A, B and C in the memory of the device and n.
/// @return the exit code of the program.
template <class Launch>
int run_product(const char* name, const Launch& launch) {
  const int n = 128;
  const std::size_t bytes = n * n * sizeof(float);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = i % 7 - 3;
    b[i] = i % 5 - 2;
  }
  float *gpu_a, *gpu_b, *gpu_c;
  for (float** memory : {&gpu_a, &gpu_b, &gpu_c}) check(cudaMalloc(memory, bytes));
  check(cudaMemcpy(gpu_a, a.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(gpu_b, b.data(), bytes, cudaMemcpyHostToDevice));
  launch(gpu_a, gpu_b, gpu_c, n);
  check(cudaGetLastError());
  check(cudaMemcpy(c.data(), gpu_c, bytes, cudaMemcpyDeviceToHost));
  for (float* memory : {gpu_a, gpu_b, gpu_c}) check(cudaFree(memory));
  const int wrong = wrong_elements(a, b, c, n);
  std::printf("%s: %d x %d, %d wrong elements\n", name, n, n, wrong);
  return wrong == 0 ? 0 : 1;
}
