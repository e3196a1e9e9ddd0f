// Helpers of the tests of the doubles of cuBLAS and cuBLASLt: arrays on the fake GPU, a handle with
// its workspace, and a product that is described as BLAS does, column by column.
#pragma once

#include <cublas_v2.h>

#include <random>

#include "../gpu/gpu.h"
#include "doubles/libs.h"

namespace fake {

/// Values on the fake GPU that a test can set again.
template <class T>
class Array : public gpu::Array<T> {
 public:
  explicit Array(std::size_t size, unsigned seed = 1)
      : gpu::Array<T>(random(size, seed)), size_(size) {}
  void fill(T value) { set(std::vector<T>(size_, value)); }
  void set(const std::vector<T>& values) {
    td::backend(td::kCUDA).copy(this->data(), gpu::device(), values.data(), td::Device(td::kCPU),
                                values.size() * sizeof(T), 0, gpu::stream());
  }

 private:
  static std::vector<T> random(std::size_t size, unsigned seed) {
    std::mt19937 numbers(seed);
    std::uniform_real_distribution<float> between(-1, 1);
    std::vector<T> values;
    for (std::size_t i = 0; i < size; ++i) values.push_back(static_cast<T>(between(numbers)));
    return values;
  }
  std::size_t size_;
};

/// A handle with a workspace, as the wrapper makes one.
struct Blas {
  cublasHandle_t handle = nullptr;
  static constexpr std::size_t kWorkspace = 16384;  // floats; every one is filled and looked at
  Array<float> workspace{kWorkspace};

  Blas() {
    cudaSetDevice(0);
    cublasCreate(&handle);
    cublasSetStream(handle, reinterpret_cast<cudaStream_t>(gpu::stream()));
    cublasSetMathMode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    cublasSetWorkspace(handle, workspace.data(), kWorkspace * sizeof(float));
  }
  ~Blas() { cublasDestroy(handle); }
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
};

template <class T>
constexpr cudaDataType kType = CUDA_R_32F;
template <>
inline constexpr cudaDataType kType<double> = CUDA_R_64F;
template <>
inline constexpr cudaDataType kType<td::Half> = CUDA_R_16F;
template <>
inline constexpr cudaDataType kType<td::BFloat16> = CUDA_R_16BF;

/// C = alpha * op(A) op(B) + beta * C; a test may change every argument before the call.
template <class T>
struct Product {
  using Scale = std::conditional_t<std::is_same_v<T, double>, double, float>;
  bool ta, tb;
  int batch;
  Scale alpha, beta;
  std::int64_t m = 7, n = 5, k = 11, lda = 13, ldb = 12, ldc = 9;
  std::int64_t stride_a = 150, stride_b = 140, stride_c = 50;
  Array<T> a{450, 1}, b{420, 2}, c{150, 3};
  const void *a_data = nullptr, *b_data = nullptr;  ///< instead of the arrays'
  void* c_data = nullptr;
  cudaDataType type_b = kType<T>;
  cublasComputeType_t compute = std::is_same_v<T, double> ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;

  Product(bool ta, bool tb, int batch, double alpha, double beta)
      : ta(ta), tb(tb), batch(batch), alpha(Scale(alpha)), beta(Scale(beta)) {}

  cublasStatus_t run(Blas& blas) const {
    const cublasOperation_t op_a = ta ? CUBLAS_OP_T : CUBLAS_OP_N,
                            op_b = tb ? CUBLAS_OP_T : CUBLAS_OP_N;
    const void* const from_a = a_data ? a_data : a.data();
    const void* const from_b = b_data ? b_data : b.data();
    void* const to = c_data ? c_data : c.data();
    if (batch == 1)
      return cublasGemmEx_64(blas.handle, op_a, op_b, m, n, k, &alpha, from_a, kType<T>, lda,
                             from_b, type_b, ldb, &beta, to, kType<T>, ldc, compute,
                             CUBLAS_GEMM_DEFAULT);
    return cublasGemmStridedBatchedEx_64(
        blas.handle, op_a, op_b, m, n, k, &alpha, from_a, kType<T>, lda, stride_a, from_b, type_b,
        ldb, stride_b, &beta, to, kType<T>, ldc, stride_c, batch, compute, CUBLAS_GEMM_DEFAULT);
  }

  /// All of C after the call, where `before` was there.
  std::vector<double> expected(const std::vector<T>& before) const {
    const std::vector<T> x = a.host(), y = b.host();
    std::vector<double> result(before.begin(), before.end());
    for (std::int64_t p = 0; p < batch; ++p)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i) {
          double sum = 0;
          for (std::int64_t l = 0; l < k; ++l)
            sum += at(x, p * stride_a + (ta ? i * lda + l : l * lda + i)) *
                   at(y, p * stride_b + (tb ? l * ldb + j : j * ldb + l));
          double& target = result[static_cast<std::size_t>(p * stride_c + j * ldc + i)];
          target = alpha * sum + (beta == 0 ? 0 : beta * target);
        }
    return result;
  }

 private:
  static double at(const std::vector<T>& values, std::int64_t place) {
    return static_cast<double>(values[static_cast<std::size_t>(place)]);
  }
};

}  // namespace fake
