// The double of cuDNN: the lists of algorithms, the sizes of their work memory, and the
// convolutions.
#include <algorithm>
#include <mutex>

#include "doubles/cudnn_descriptors.h"

namespace cuda_stand_in {

Dnn& dnn() {
  static auto* const calls = new Dnn;
  return *calls;
}

namespace {

using td::cuda::ConvKind;

std::vector<Listed> algorithms(ConvKind kind, const Problem& p) {
  return dnn().listed.empty() ? own_algorithms(kind, p.sizes()) : dnn().listed;
}

/// The algorithm with the math type that the descriptor holds now.
bool find(ConvKind kind, const Problem& p, int algorithm, Listed* found) {
  for (const Listed& entry : algorithms(kind, p))
    if (entry.algorithm == algorithm && entry.math == p.conv->math) return *found = entry, true;
  return false;
}

template <class Found>
cudnnStatus_t list(const char* call, ConvKind kind, cudnnHandle_t handle, const Problem& p,
                   int room, int most, int* count, Found* found) {
  const Inside inside(call, kDnnHandle, handle);
  if (!inside) return CUDNN_STATUS_NOT_INITIALIZED;
  if (room < 1 || !count || !found) return CUDNN_STATUS_BAD_PARAM;
  const cudnnStatus_t status = p.check(call, handle->device);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  *count = 0;
  for (const Listed& entry : algorithms(kind, p)) {
    if (!entry.shown || *count == std::min(room, most)) continue;
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

cudnnStatus_t workspace(const char* call, ConvKind kind, cudnnHandle_t handle, const Problem& p,
                        int algorithm, std::size_t* bytes) {
  const Inside inside(call, kDnnHandle, handle);
  if (!inside) return CUDNN_STATUS_NOT_INITIALIZED;
  const cudnnStatus_t status = p.check(call, handle->device);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  Listed entry;
  if (!find(kind, p, algorithm, &entry)) return CUDNN_STATUS_NOT_SUPPORTED;
  *bytes = entry.workspace;
  return entry.listed_as;
}

/// What Tensor Cores make of float32 factors with this math type.
Factors factors_of(td::ScalarType dtype, cudnnMathType_t math, int device) {
  if (dtype != td::kFloat || math == CUDNN_FMA_MATH) return Factors::kFloat;
  if (math == CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION) return Factors::kHalf;
  return compute_capability(device) >= 80 ? Factors::kTf32 : Factors::kFloat;
}

void record(const ConvolutionCall& call, const Problem& p, int algorithm, cudnnStatus_t status) {
  const auto is = [&](ConvKind kind) { return call.kind == kind; };
  const void* const input = is(ConvKind::kBackwardInput) ? call.c_data : call.a_data;
  const void* const weight = is(ConvKind::kForward)         ? call.b_data
                             : is(ConvKind::kBackwardInput) ? call.a_data
                                                            : call.c_data;
  const void* const output = is(ConvKind::kForward) ? call.c_data : call.b_data;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  dnn().convolutions.push_back({call.kind, algorithm, p.conv->math, call.workspace.bytes, input,
                                weight, output, call.sizes.n, call.beta, status});
}

/// One of the three calls. `call` holds its name, kind, arrays, pointers and work memory.
cudnnStatus_t convolve(cudnnHandle_t handle, ConvolutionCall call, const Problem& p,
                       const void* alpha, const void* beta, int algorithm) {
  const Inside inside(call.call, kDnnHandle, handle, Counted::kByQueue);
  if (!inside) return CUDNN_STATUS_NOT_INITIALIZED;
  if (!alpha || !beta || !call.a_data || !call.b_data || !call.c_data)
    return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  cudnnStatus_t status = p.check(call.call, handle->device);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  call.sizes = p.sizes();
  const bool forward = call.kind == ConvKind::kForward;
  call.a = call.kind == ConvKind::kBackwardInput ? Images(*p.w) : Images(*p.x);
  call.b = forward ? Images(*p.w) : Images(*p.y);
  call.c = forward ? Images(*p.y) : call.kind == ConvKind::kBackwardInput ? Images(*p.x) : *p.w;
  call.alpha = scale_factor(alpha, call.a.dtype), call.beta = scale_factor(beta, call.a.dtype);
  call.factors = factors_of(call.a.dtype, p.conv->math, handle->device);
  Listed entry;
  status = CUDNN_STATUS_NOT_SUPPORTED;
  if (find(call.kind, p, algorithm, &entry))
    status = call.workspace.bytes < entry.workspace ? CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT
             : entry.listed_as                      ? entry.listed_as
                                                    : entry.runs_as;
  call.deterministic = entry.deterministic;
  if (status == CUDNN_STATUS_SUCCESS) status = queue_convolution(call, *handle);
  record(call, p, algorithm, status);
  return status;
}

}  // namespace
}  // namespace cuda_stand_in

using namespace cuda_stand_in;
using td::cuda::ConvKind;

extern "C" {

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(
    cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
    cudnnConvolutionDescriptor_t conv, cudnnTensorDescriptor_t y, int room, int* count,
    cudnnConvolutionFwdAlgoPerf_t* found) {
  return list("cudnnGetConvolutionForwardAlgorithm_v7", ConvKind::kForward, handle, {x, w, conv, y},
              room, CUDNN_CONVOLUTION_FWD_ALGO_COUNT, count, found);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t handle, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t conv, cudnnTensorDescriptor_t dx, int room, int* count,
    cudnnConvolutionBwdDataAlgoPerf_t* found) {
  return list("cudnnGetConvolutionBackwardDataAlgorithm_v7", ConvKind::kBackwardInput, handle,
              {dx, w, conv, dy}, room, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT, count, found);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t conv, cudnnFilterDescriptor_t dw, int room, int* count,
    cudnnConvolutionBwdFilterAlgoPerf_t* found) {
  return list("cudnnGetConvolutionBackwardFilterAlgorithm_v7", ConvKind::kBackwardWeight, handle,
              {x, dw, conv, dy}, room, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT, count, found);
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(
    cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
    cudnnConvolutionDescriptor_t conv, cudnnTensorDescriptor_t y,
    cudnnConvolutionFwdAlgo_t algorithm, std::size_t* bytes) {
  return workspace("cudnnGetConvolutionForwardWorkspaceSize", ConvKind::kForward, handle,
                   {x, w, conv, y}, algorithm, bytes);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t handle, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t conv, cudnnTensorDescriptor_t dx,
    cudnnConvolutionBwdDataAlgo_t algorithm, std::size_t* bytes) {
  return workspace("cudnnGetConvolutionBackwardDataWorkspaceSize", ConvKind::kBackwardInput, handle,
                   {dx, w, conv, dy}, algorithm, bytes);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t conv, cudnnFilterDescriptor_t dw,
    cudnnConvolutionBwdFilterAlgo_t algorithm, std::size_t* bytes) {
  return workspace("cudnnGetConvolutionBackwardFilterWorkspaceSize", ConvKind::kBackwardWeight,
                   handle, {x, dw, conv, dy}, algorithm, bytes);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha,
                                      cudnnTensorDescriptor_t x, const void* x_data,
                                      cudnnFilterDescriptor_t w, const void* w_data,
                                      cudnnConvolutionDescriptor_t conv,
                                      cudnnConvolutionFwdAlgo_t algorithm, void* work,
                                      std::size_t bytes, const void* beta,
                                      cudnnTensorDescriptor_t y, void* y_data) {
  return convolve(
      handle,
      {"cudnnConvolutionForward", ConvKind::kForward, x_data, w_data, y_data, {work, bytes}},
      {x, w, conv, y}, alpha, beta, algorithm);
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha,
                                           cudnnFilterDescriptor_t w, const void* w_data,
                                           cudnnTensorDescriptor_t dy, const void* dy_data,
                                           cudnnConvolutionDescriptor_t conv,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void* work,
                                           std::size_t bytes, const void* beta,
                                           cudnnTensorDescriptor_t dx, void* dx_data) {
  return convolve(handle,
                  {"cudnnConvolutionBackwardData",
                   ConvKind::kBackwardInput,
                   w_data,
                   dy_data,
                   dx_data,
                   {work, bytes}},
                  {dx, w, conv, dy}, alpha, beta, algorithm);
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void* alpha,
                                             cudnnTensorDescriptor_t x, const void* x_data,
                                             cudnnTensorDescriptor_t dy, const void* dy_data,
                                             cudnnConvolutionDescriptor_t conv,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm, void* work,
                                             std::size_t bytes, const void* beta,
                                             cudnnFilterDescriptor_t dw, void* dw_data) {
  return convolve(handle,
                  {"cudnnConvolutionBackwardFilter",
                   ConvKind::kBackwardWeight,
                   x_data,
                   dy_data,
                   dw_data,
                   {work, bytes}},
                  {x, dw, conv, dy}, alpha, beta, algorithm);
}

}  // extern "C"
