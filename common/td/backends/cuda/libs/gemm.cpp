// Matrix products by cuBLAS. Called through Libs (libs.cpp of this folder).
// cuBLAS thinks column-major; a row-major matrix is its transpose there, so C = A B is asked for as
// C^T = B^T A^T: the factors change places and nothing is moved.
#include <algorithm>

#include "td/backends/cuda/libs/stream_state.h"
#include "td/base/error.h"

namespace td::cuda {
namespace {

cudaDataType_t cuda_type(ScalarType dtype) {
  switch (dtype) {
    case kHalf:
      return CUDA_R_16F;
    case kBFloat16:
      return CUDA_R_16BF;
    case kDouble:
      return CUDA_R_64F;
    case kFloat:
      return CUDA_R_32F;
    default:
      break;
  }
  fail<DtypeError>("matmul on cuda: expected a floating point type but got ", dtype_name(dtype),
                   "; convert it with to(kFloat32)");
}

cublasComputeType_t compute_type(const Gemm& gemm) {
  if (gemm.dtype == kDouble) return CUBLAS_COMPUTE_64F;
  if (gemm.dtype == kFloat && gemm.allow_tf32) return CUBLAS_COMPUTE_32F_FAST_TF32;
  return CUBLAS_COMPUTE_32F;
}

}  // namespace

void run_gemm(const Gemm& gemm, const void* a, const void* b, void* c, Where where) {
  const cudaDataType_t type = cuda_type(gemm.dtype);
  const Factor alpha(gemm.dtype, gemm.alpha), beta(gemm.dtype, gemm.beta);
  const auto op = [](bool transpose) { return transpose ? CUBLAS_OP_T : CUBLAS_OP_N; };
  // A matrix of one row may come with any row stride; cuBLAS insists on a possible one.
  const std::int64_t lda = std::max(gemm.lda, gemm.transpose_a ? gemm.m : gemm.k);
  const std::int64_t ldb = std::max(gemm.ldb, gemm.transpose_b ? gemm.k : gemm.n);
  const std::int64_t ldc = std::max(gemm.ldc, gemm.n);

  Session session(where);
  const cublasHandle_t blas = session.blas();
  if (gemm.batch == 1) {
    check(cublasGemmEx_64(blas, op(gemm.transpose_b), op(gemm.transpose_a), gemm.n, gemm.m, gemm.k,
                          &alpha, b, type, ldb, a, type, lda, &beta, c, type, ldc,
                          compute_type(gemm), CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
    return;
  }
  check(cublasGemmStridedBatchedEx_64(blas, op(gemm.transpose_b), op(gemm.transpose_a), gemm.n,
                                      gemm.m, gemm.k, &alpha, b, type, ldb, gemm.stride_b, a, type,
                                      lda, gemm.stride_a, &beta, c, type, ldc, gemm.stride_c,
                                      gemm.batch, compute_type(gemm), CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
}

}  // namespace td::cuda
