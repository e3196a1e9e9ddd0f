// cuBLAS stores matrices by columns.
// nvcc: -lcublas
// prints: 15 18 21 15 19 23 | 5 12
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
int main() {
  const int m = 3, n = 2, k = 4;
  std::vector<float> a(m * k), b(k * n), c(m * n);
  for (int i = 0; i < m * k; ++i) a[i] = i;
  for (int i = 0; i < k * n; ++i) b[i] = i % 3;
  float *da, *db, *dc;
  cudaMalloc(&da, a.size() * 4);
  cudaMalloc(&db, b.size() * 4);
  cudaMalloc(&dc, c.size() * 4);
  cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
  cublasSetMatrix(k, n, 4, b.data(), k, db, k);
  cublasHandle_t h;
  cublasCreate(&h);
  float one = 1, zero = 0;
  cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, da, m, db, k, &zero, dc, m);
  cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
  for (float x : c) printf("%g ", x);
  float d;
  cublasSdot(h, 3, da, 1, db, 1, &d);
  int im;
  cublasIsamax(h, m * k, da, 1, &im);
  printf("| %g %d\n", d, im);
  cublasDestroy(h);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
}
