// cuBLAS: a handle is its stream, workspace and mode.
#include <cublas_v2.h>

#include "fake.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
  std::size_t bytes = 0;
  cublasMath_t mode = CUBLAS_DEFAULT_MATH;
};

namespace {

cublasStatus_t product(cublasHandle_t h, std::int64_t m, std::int64_t n, std::int64_t k,
                       std::int64_t batch) {
  fake::world().products.push_back({h->stream, h->workspace, h->bytes, h->mode, m, n, k, batch});
  // The workspace must be alive when the product is queued.
  const bool usable = fake::world().live.count(h->workspace) != 0;
  return usable ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  handle->workspace = nullptr;  // as documented: back to cuBLAS's own
  handle->bytes = 0;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(workspace) % 256 != 0) return CUBLAS_STATUS_INVALID_VALUE;
  handle->workspace = workspace;
  handle->bytes = bytes;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  handle->mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusName(cublasStatus_t) { return "STATUS"; }
const char* cublasGetStatusString(cublasStatus_t) { return "a sentence"; }

cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t, cublasOperation_t,
                               std::int64_t m, std::int64_t n, std::int64_t k, const void*,
                               const void*, cudaDataType, std::int64_t, const void*, cudaDataType,
                               std::int64_t, const void*, void*, cudaDataType, std::int64_t,
                               cublasComputeType_t, cublasGemmAlgo_t) {
  return product(handle, m, n, k, 1);
}
cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t handle, cublasOperation_t, cublasOperation_t, std::int64_t m, std::int64_t n,
    std::int64_t k, const void*, const void*, cudaDataType, std::int64_t, long long, const void*,
    cudaDataType, std::int64_t, long long, const void*, void*, cudaDataType, std::int64_t,
    long long, std::int64_t batch, cublasComputeType_t, cublasGemmAlgo_t) {
  return product(handle, m, n, k, batch);
}

}  // extern "C"
