// A matrix product as cuBLAS and cuBLASLt describe it: column by column. cublas.cpp and
// cublas_lt.cpp fill it in; products.cpp checks, queues and computes it.
#pragma once

#include "doubles/handles.h"
#include "doubles/numbers.h"

/// The contents of a handle of cuBLAS, which is a handle of cuBLASLt, too.
struct cublasContext : cuda_stand_in::Handle {
  cuda_stand_in::Workspace workspace;
  cublasMath_t mode = CUBLAS_DEFAULT_MATH;
};

namespace cuda_stand_in {

constexpr const char* kBlasHandle = "cublasHandle_t";

struct Matrix {
  const void* data = nullptr;
  std::int64_t rows = 0, columns = 0;  ///< as it is stored, before it is transposed
  std::int64_t step = 0;               ///< elements from one column to the next
  std::int64_t stride = 0;             ///< elements from one matrix of the batch to the next
};

/// C = alpha * op(A) op(B) + beta * C + bias, `batch` times; the bias has one value for each row.
struct MatrixProduct {
  const char* call = nullptr;
  td::ScalarType dtype = td::kFloat;
  Factors factors = Factors::kFloat;
  bool rounds_parts = false;  ///< sums of 16-bit products may be added after they were rounded
  bool transpose_a = false, transpose_b = false;
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  double alpha = 1, beta = 0;
  Matrix a, b, c;
  const void* bias = nullptr;
  Workspace workspace;
};

/// The type of a matrix in the core's words. @pre the type is one of the four
td::ScalarType scalar_type(cudaDataType type);
/// Whether cuBLAS has products of this type with sums of this one.
bool has_products(cudaDataType type, cublasComputeType_t compute);
/// Whether the compute type or the handle's mode rounds float32 factors to TF32.
Factors factors_of(cudaDataType type, cublasComputeType_t compute, cublasMath_t mode);

/// Checks the product, writes it to blas().products, and queues it on `stream`.
cublasStatus_t queue_product(const MatrixProduct& product, const cublasContext& handle,
                             cudaStream_t stream);

}  // namespace cuda_stand_in
