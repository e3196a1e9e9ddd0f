// cuBLAS for programs on the machine's CPU, as far as chapter 13 and most programs use it: products
// of matrices and the simple functions of vectors. Matrices are stored by columns, as in BLAS.
//
// Invariant: a function that is not here does not compile; one with types that are not implemented
// returns CUBLAS_STATUS_NOT_SUPPORTED.
#pragma once

#include "cuda_runtime.h"
#include "library_types.h"
#include "simt/half.h"

#define CUBLAS_API_H_
#define CUBLAS_V2_H_

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
};
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 };
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3
};
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };
constexpr cublasGemmAlgo_t CUBLAS_GEMM_DFALT = CUBLAS_GEMM_DEFAULT;
constexpr cublasGemmAlgo_t CUBLAS_GEMM_DFALT_TENSOR_OP = CUBLAS_GEMM_DEFAULT_TENSOR_OP;
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};
using cublasHandle_t = struct cublasContext*;

extern "C" {

cublasStatus_t cublasCreate(cublasHandle_t* handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version);
const char* cublasGetStatusString(cublasStatus_t status);
const char* cublasGetStatusName(cublasStatus_t status);

// Copies between the host and the device.
cublasStatus_t cublasSetVector(int n, int size, const void* x, int incx, void* y, int incy);
cublasStatus_t cublasGetVector(int n, int size, const void* x, int incx, void* y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void* a, int lda, void* b,
                               int ldb);
cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void* a, int lda, void* b,
                               int ldb);

#define TD_CUBLAS(S, T)                                                                          \
  cublasStatus_t cublas##S##gemm(cublasHandle_t handle, cublasOperation_t transa,                \
                                 cublasOperation_t transb, int m, int n, int k, const T* alpha,  \
                                 const T* a, int lda, const T* b, int ldb, const T* beta, T* c,  \
                                 int ldc);                                                       \
  cublasStatus_t cublas##S##gemmStridedBatched(                                                  \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,   \
      int k, const T* alpha, const T* a, int lda, long long stridea, const T* b, int ldb,        \
      long long strideb, const T* beta, T* c, int ldc, long long stridec, int count);            \
  cublasStatus_t cublas##S##gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,   \
                                 const T* alpha, const T* a, int lda, const T* x, int incx,      \
                                 const T* beta, T* y, int incy);                                 \
  cublasStatus_t cublas##S##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x,       \
                                 int incx, T* y, int incy);                                      \
  cublasStatus_t cublas##S##copy(cublasHandle_t handle, int n, const T* x, int incx, T* y,       \
                                 int incy);                                                      \
  cublasStatus_t cublas##S##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx);  \
  cublasStatus_t cublas##S##dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y,  \
                                int incy, T* result);                                            \
  cublasStatus_t cublas##S##nrm2(cublasHandle_t handle, int n, const T* x, int incx, T* result); \
  cublasStatus_t cublas##S##asum(cublasHandle_t handle, int n, const T* x, int incx, T* result);
TD_CUBLAS(S, float)
TD_CUBLAS(D, double)
#undef TD_CUBLAS

cublasStatus_t cublasIsamax(cublasHandle_t handle, int n, const float* x, int incx, int* result);
cublasStatus_t cublasIdamax(cublasHandle_t handle, int n, const double* x, int incx, int* result);

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const __half* alpha,
                           const __half* a, int lda, const __half* b, int ldb, const __half* beta,
                           __half* c, int ldc);
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType_t typea, int lda, const void* b,
                            cudaDataType_t typeb, int ldb, const void* beta, void* c,
                            cudaDataType_t typec, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);

}  // extern "C"

#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy
#define cublasSetStream_v2 cublasSetStream
