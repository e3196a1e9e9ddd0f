// The double of cuBLAS: a handle is its device, stream, workspace and mode. It has the functions
// that the wrapper of products (libs/cuda/gemm.cpp) calls; another one fails to link.
#include "doubles/products.h"

namespace cuda_stand_in {

Blas& blas() {
  static auto* const calls = new Blas;
  return *calls;
}

namespace {

bool is_operation(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T;
}

/// The product of one call; what its pointers and its handle add comes later.
MatrixProduct describe(cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m,
                       std::int64_t n, std::int64_t k, std::int64_t batch, const Matrix& a,
                       const Matrix& b, const Matrix& c) {
  MatrixProduct p;
  p.transpose_a = op_a == CUBLAS_OP_T, p.transpose_b = op_b == CUBLAS_OP_T;
  p.m = m, p.n = n, p.k = k, p.batch = batch;
  p.a = a, p.b = b, p.c = c;
  p.a.rows = p.transpose_a ? k : m, p.a.columns = p.transpose_a ? m : k;
  p.b.rows = p.transpose_b ? n : k, p.b.columns = p.transpose_b ? k : n;
  p.c.rows = m, p.c.columns = n;
  return p;
}

cublasStatus_t multiply(cublasHandle_t handle, MatrixProduct p, const void* alpha, const void* beta,
                        const cudaDataType (&types)[3], cublasComputeType_t compute,
                        cublasGemmAlgo_t algorithm) {
  const Inside inside(p.call, kBlasHandle, handle, Counted::kByQueue);
  if (!inside) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!alpha || !beta || algorithm != CUBLAS_GEMM_DEFAULT) return CUBLAS_STATUS_INVALID_VALUE;
  if (types[0] != types[1] || types[0] != types[2] || !has_products(types[0], compute))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  p.dtype = scalar_type(types[0]);
  p.factors = factors_of(types[0], compute, handle->mode);
  p.rounds_parts = !(handle->mode & CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  p.alpha = scale_factor(alpha, p.dtype), p.beta = scale_factor(beta, p.dtype);
  p.workspace = handle->workspace;
  return queue_product(p, *handle, handle->stream);
}

}  // namespace

}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* made) {
  auto* const handle = new cublasContext;
  if (!make_handle("cublasCreate_v2", kBlasHandle, *handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  *made = handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  const Inside inside("cublasDestroy_v2", kBlasHandle, handle);
  if (!inside) return CUBLAS_STATUS_NOT_INITIALIZED;
  cudaDeviceSynchronize();
  remove_object(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  constexpr const char* kCall = "cublasSetStream_v2";
  const Inside inside(kCall, kBlasHandle, handle);
  if (!inside) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (handle->workspace.data) {
    refuse(kCall, "it takes away the workspace that was set before");
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  return set_stream(kCall, *handle, stream) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* data, std::size_t bytes) {
  constexpr const char* kCall = "cublasSetWorkspace_v2";
  const Inside inside(kCall, kBlasHandle, handle);
  if (!inside) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!check_memory(kCall, "the workspace", data, bytes, handle->device, 256))
    return CUBLAS_STATUS_INVALID_VALUE;
  handle->workspace = {data, bytes};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  const Inside inside("cublasSetMathMode", kBlasHandle, handle);
  if (!inside) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusName(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_INVALID_VALUE) return "CUBLAS_STATUS_INVALID_VALUE";
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return "CUBLAS_STATUS_NOT_SUPPORTED";
  if (status == CUBLAS_STATUS_EXECUTION_FAILED) return "CUBLAS_STATUS_EXECUTION_FAILED";
  return status == CUBLAS_STATUS_NOT_INITIALIZED ? "CUBLAS_STATUS_NOT_INITIALIZED" : "another";
}
const char* cublasGetStatusString(cublasStatus_t) { return "the double of cuBLAS reports this"; }

cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m,
    std::int64_t n, std::int64_t k, const void* alpha, const void* a, cudaDataType type_a,
    std::int64_t lda, long long stride_a, const void* b, cudaDataType type_b, std::int64_t ldb,
    long long stride_b, const void* beta, void* c, cudaDataType type_c, std::int64_t ldc,
    long long stride_c, std::int64_t batch, cublasComputeType_t compute,
    cublasGemmAlgo_t algorithm) {
  if (!is_operation(op_a) || !is_operation(op_b)) return CUBLAS_STATUS_INVALID_VALUE;
  MatrixProduct p = describe(op_a, op_b, m, n, k, batch, {a, 0, 0, lda, stride_a},
                             {b, 0, 0, ldb, stride_b}, {c, 0, 0, ldc, stride_c});
  p.call = "cublasGemmStridedBatchedEx_64";
  return multiply(handle, p, alpha, beta, {type_a, type_b, type_c}, compute, algorithm);
}

cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t op_a,
                               cublasOperation_t op_b, std::int64_t m, std::int64_t n,
                               std::int64_t k, const void* alpha, const void* a,
                               cudaDataType type_a, std::int64_t lda, const void* b,
                               cudaDataType type_b, std::int64_t ldb, const void* beta, void* c,
                               cudaDataType type_c, std::int64_t ldc, cublasComputeType_t compute,
                               cublasGemmAlgo_t algorithm) {
  if (!is_operation(op_a) || !is_operation(op_b)) return CUBLAS_STATUS_INVALID_VALUE;
  MatrixProduct p =
      describe(op_a, op_b, m, n, k, 1, {a, 0, 0, lda, 0}, {b, 0, 0, ldb, 0}, {c, 0, 0, ldc, 0});
  p.call = "cublasGemmEx_64";
  return multiply(handle, p, alpha, beta, {type_a, type_b, type_c}, compute, algorithm);
}

}  // extern "C"
