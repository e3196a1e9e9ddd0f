// cuDNN: lists what the test says, and refuses what its documentation does not allow.
#include <cudnn.h>

#include "fake.h"

struct cudnnContext {
  cudaStream_t stream = nullptr;
};
struct cudnnTensorStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int images = 0;
};
struct cudnnFilterStruct {};
struct cudnnConvolutionStruct {
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

namespace {

using fake::Listed;
using fake::world;
using td::cuda::ConvKind;

const Listed* find(int algorithm, cudnnMathType_t math) {
  for (const Listed& entry : world().listed)
    if (entry.algorithm == algorithm && entry.math == math) return &entry;
  return nullptr;
}

template <class Found>
cudnnStatus_t list(int room, int* count, Found* found) {
  ++world().times_listed;
  *count = 0;
  for (const Listed& entry : world().listed) {
    if (!entry.shown || *count == room) continue;
    Found& next = found[(*count)++];
    next = {};
    next.algo = static_cast<decltype(next.algo)>(entry.algorithm);
    next.status = entry.listed_as;
    next.memory = entry.workspace;
    next.mathType = entry.math;
    next.determinism = entry.deterministic ? CUDNN_DETERMINISTIC : CUDNN_NON_DETERMINISTIC;
  }
  return CUDNN_STATUS_SUCCESS;
}

// The workspace belongs to the algorithm and the math type that the descriptor holds.
cudnnStatus_t workspace(int algorithm, cudnnConvolutionDescriptor_t conv, std::size_t* bytes) {
  const Listed* const entry = find(algorithm, conv->math);
  if (!entry) return CUDNN_STATUS_NOT_SUPPORTED;
  *bytes = entry->workspace;
  return entry->listed_as;
}

cudnnStatus_t convolve(ConvKind kind, int algorithm, cudnnConvolutionDescriptor_t conv,
                       std::size_t bytes, const void* beta, cudnnTensorDescriptor_t images,
                       const void* input, const void* weight, const void* output) {
  const Listed* const entry = find(algorithm, conv->math);
  cudnnStatus_t status = CUDNN_STATUS_NOT_SUPPORTED;
  if (entry)
    status = bytes < entry->workspace ? CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT : entry->runs_as;
  const double factor = images->type == CUDNN_DATA_DOUBLE ? *static_cast<const double*>(beta)
                                                          : *static_cast<const float*>(beta);
  world().convolutions.push_back(
      {kind, algorithm, conv->math, bytes, input, weight, output, images->images, factor, status});
  return status;
}

template <class T>
cudnnStatus_t make(T** object) {
  *object = new T;
  return CUDNN_STATUS_SUCCESS;
}
template <class T>
cudnnStatus_t destroy(T* object) {
  delete object;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) { return make(handle); }
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) { return destroy(handle); }
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}
const char* cudnnGetErrorString(cudnnStatus_t status) {
  return status == CUDNN_STATUS_EXECUTION_FAILED ? "EXECUTION_FAILED" : "REFUSED";
}
void cudnnGetLastErrorString(char* message, std::size_t) { *message = '\0'; }

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* made) { return make(made); }
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* made) { return make(made); }
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* made) {
  return make(made);
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t old) { return destroy(old); }
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t old) { return destroy(old); }
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t old) {
  return destroy(old);
}
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  if (std::int64_t{n} * c * h * w >= std::int64_t{1} << 31) return CUDNN_STATUS_NOT_SUPPORTED;
  tensor->type = type;
  tensor->images = n;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t, cudnnDataType_t,
                                         cudnnTensorFormat_t, int, int, int, int) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t, int, int, int, int, int,
                                              int, cudnnConvolutionMode_t, cudnnDataType_t) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t, int) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t conv, cudnnMathType_t math) {
  conv->math = math;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t,
                                                     cudnnFilterDescriptor_t,
                                                     cudnnConvolutionDescriptor_t,
                                                     cudnnTensorDescriptor_t, int room, int* count,
                                                     cudnnConvolutionFwdAlgoPerf_t* found) {
  return list(room, count, found);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, cudnnFilterDescriptor_t, cudnnTensorDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnTensorDescriptor_t, int room, int* count, cudnnConvolutionBwdDataAlgoPerf_t* found) {
  return list(room, count, found);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnFilterDescriptor_t, int room, int* count, cudnnConvolutionBwdFilterAlgoPerf_t* found) {
  return list(room, count, found);
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t, cudnnTensorDescriptor_t,
                                                      cudnnFilterDescriptor_t,
                                                      cudnnConvolutionDescriptor_t conv,
                                                      cudnnTensorDescriptor_t,
                                                      cudnnConvolutionFwdAlgo_t algorithm,
                                                      std::size_t* bytes) {
  return workspace(algorithm, conv, bytes);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(cudnnHandle_t, cudnnFilterDescriptor_t,
                                                           cudnnTensorDescriptor_t,
                                                           cudnnConvolutionDescriptor_t conv,
                                                           cudnnTensorDescriptor_t,
                                                           cudnnConvolutionBwdDataAlgo_t algorithm,
                                                           std::size_t* bytes) {
  return workspace(algorithm, conv, bytes);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t,
    cudnnConvolutionDescriptor_t conv, cudnnFilterDescriptor_t,
    cudnnConvolutionBwdFilterAlgo_t algorithm, std::size_t* bytes) {
  return workspace(algorithm, conv, bytes);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t, const void*, cudnnTensorDescriptor_t tensor,
                                      const void* x, cudnnFilterDescriptor_t, const void* w,
                                      cudnnConvolutionDescriptor_t conv,
                                      cudnnConvolutionFwdAlgo_t algorithm, void*, std::size_t bytes,
                                      const void* beta, cudnnTensorDescriptor_t, void* y) {
  return convolve(ConvKind::kForward, algorithm, conv, bytes, beta, tensor, x, w, y);
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t, const void*, cudnnFilterDescriptor_t,
                                           const void* w, cudnnTensorDescriptor_t tensor,
                                           const void* dy, cudnnConvolutionDescriptor_t conv,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void*,
                                           std::size_t bytes, const void* beta,
                                           cudnnTensorDescriptor_t, void* dx) {
  return convolve(ConvKind::kBackwardInput, algorithm, conv, bytes, beta, tensor, dx, w, dy);
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t, const void*,
                                             cudnnTensorDescriptor_t tensor, const void* x,
                                             cudnnTensorDescriptor_t, const void* dy,
                                             cudnnConvolutionDescriptor_t conv,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm, void*,
                                             std::size_t bytes, const void* beta,
                                             cudnnFilterDescriptor_t, void* dw) {
  return convolve(ConvKind::kBackwardWeight, algorithm, conv, bytes, beta, tensor, x, dw, dy);
}

}  // extern "C"
