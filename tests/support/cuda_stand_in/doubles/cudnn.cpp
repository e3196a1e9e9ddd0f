// The double of cuDNN: handles and descriptors, and which descriptions cuDNN refuses. The calls
// about convolutions are in cudnn_convolutions.cpp. There are the functions that the wrapper
// (libs/cuda/conv.cpp) calls; another one fails to link.
#include <algorithm>
#include <cstdio>

#include "doubles/cudnn_descriptors.h"

namespace cuda_stand_in {
namespace {

using td::cuda::Conv2d;

constexpr const char* kTensor = "cudnnTensorDescriptor_t";
constexpr const char* kFilter = "cudnnFilterDescriptor_t";
constexpr const char* kConvolution = "cudnnConvolutionDescriptor_t";

template <class T>
cudnnStatus_t make(const char* call, const char* type, T** made) {
  count_call(call);
  *made = new T;
  add_object(*made, type);
  return CUDNN_STATUS_SUCCESS;
}

bool is_alive(const char* call, const char* type, const void* object) {
  const std::string why = why_not_alive(object, type);
  if (!why.empty()) refuse(call, why);
  return why.empty();
}

cudnnStatus_t destroy(const char* call, const char* type, const void* object) {
  count_call(call);
  if (!is_alive(call, type, object)) return CUDNN_STATUS_BAD_PARAM;
  remove_object(object);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t describe(Images& images, cudnnTensorFormat_t format, cudnnDataType_t type, int n,
                       int c, int h, int w) {
  if (n <= 0 || c <= 0 || h <= 0 || w <= 0) return CUDNN_STATUS_BAD_PARAM;
  if (format != CUDNN_TENSOR_NCHW && format != CUDNN_TENSOR_NHWC) return CUDNN_STATUS_NOT_SUPPORTED;
  td::ScalarType dtype = td::kFloat;
  if (type == CUDNN_DATA_HALF)
    dtype = td::kHalf;
  else if (type == CUDNN_DATA_BFLOAT16)
    dtype = td::kBFloat16;
  else if (type == CUDNN_DATA_DOUBLE)
    dtype = td::kDouble;
  else if (type != CUDNN_DATA_FLOAT)
    return CUDNN_STATUS_NOT_SUPPORTED;
  const double elements = static_cast<double>(n) * c * h * w;
  if (elements >= 2147483648.0) return CUDNN_STATUS_NOT_SUPPORTED;
  images = {dtype, format == CUDNN_TENSOR_NHWC, n, c, h, w};
  return CUDNN_STATUS_SUCCESS;
}

int output_size(int input, int padding, int dilation, int filter, int stride) {
  return (input + 2 * padding - (dilation * (filter - 1) + 1)) / stride + 1;
}

cudnnStatus_t check_sizes(const Problem& p) {
  const Conv2d v = p.sizes();
  const bool fits = p.w->c * v.groups == v.c && v.k % v.groups == 0 && p.y->n == v.n &&
                    p.y->c == v.k &&
                    v.oh == output_size(v.h, v.padding_h, v.dilation_h, v.r, v.stride_h) &&
                    v.ow == output_size(v.w, v.padding_w, v.dilation_w, v.s, v.stride_w);
  return fits ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
}

}  // namespace

Conv2d Problem::sizes() const {
  Conv2d v = conv->steps;
  v.dtype = x->dtype, v.channels_last = x->channels_last;
  const auto to_int = [](std::int64_t value) { return static_cast<int>(value); };
  v.n = to_int(x->n), v.c = to_int(x->c), v.h = to_int(x->h), v.w = to_int(x->w);
  v.k = to_int(w->n), v.r = to_int(w->h), v.s = to_int(w->w);
  v.oh = to_int(y->h), v.ow = to_int(y->w);
  return v;
}

int compute_capability(int device) {
  int major = 0, minor = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  return 10 * major + minor;
}

cudnnStatus_t Problem::check(const char* call, int device) const {
  if (!is_alive(call, kTensor, x) || !is_alive(call, kFilter, w) ||
      !is_alive(call, kConvolution, conv) || !is_alive(call, kTensor, y))
    return CUDNN_STATUS_BAD_PARAM;
  for (const Images* other : {static_cast<const Images*>(w), static_cast<const Images*>(y)}) {
    if (x->n == 0 || other->n == 0) return CUDNN_STATUS_BAD_PARAM;  // never described
    if (other->dtype != x->dtype) return CUDNN_STATUS_BAD_PARAM;
    if (other->channels_last != x->channels_last) return CUDNN_STATUS_NOT_SUPPORTED_LAYOUT;
  }
  const bool is_double = x->dtype == td::kDouble;
  if ((conv->sum_type == CUDNN_DATA_DOUBLE) != is_double) return CUDNN_STATUS_BAD_PARAM;
  if (is_double && x->channels_last) return CUDNN_STATUS_NOT_SUPPORTED_LAYOUT;
  if (x->dtype == td::kBFloat16 && compute_capability(device) < 80)
    return CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH;
  return check_sizes(*this);
}

}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t* made) {
  auto* const handle = new cudnnContext;
  if (!make_handle("cudnnCreate", kDnnHandle, *handle)) return CUDNN_STATUS_NOT_INITIALIZED;
  *made = handle;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  const Inside inside("cudnnDestroy", kDnnHandle, handle);
  if (!inside) return CUDNN_STATUS_NOT_INITIALIZED;
  cudaDeviceSynchronize();
  remove_object(handle);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  const Inside inside("cudnnSetStream", kDnnHandle, handle);
  if (!inside) return CUDNN_STATUS_NOT_INITIALIZED;
  return set_stream("cudnnSetStream", *handle, stream) ? CUDNN_STATUS_SUCCESS
                                                       : CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH;
}

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (CUDNN_STATUS_CATEGORY(static_cast<int>(status))) {
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_INTERNAL_ERROR:
      return "CUDNN_STATUS_INTERNAL_ERROR";
    case CUDNN_STATUS_EXECUTION_FAILED:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
      return "CUDNN_STATUS_NOT_INITIALIZED";
  }
}

void cudnnGetLastErrorString(char* message, std::size_t bytes) {
  std::snprintf(message, bytes, "the double of cuDNN reports this");
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* made) {
  return make("cudnnCreateTensorDescriptor", kTensor, made);
}
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* made) {
  return make("cudnnCreateFilterDescriptor", kFilter, made);
}
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* made) {
  return make("cudnnCreateConvolutionDescriptor", kConvolution, made);
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t old) {
  return destroy("cudnnDestroyTensorDescriptor", kTensor, old);
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t old) {
  return destroy("cudnnDestroyFilterDescriptor", kFilter, old);
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t old) {
  return destroy("cudnnDestroyConvolutionDescriptor", kConvolution, old);
}

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  if (!is_alive("cudnnSetTensor4dDescriptor", kTensor, tensor)) return CUDNN_STATUS_BAD_PARAM;
  return describe(*tensor, format, type, n, c, h, w);
}
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  if (!is_alive("cudnnSetFilter4dDescriptor", kFilter, filter)) return CUDNN_STATUS_BAD_PARAM;
  return describe(*filter, format, type, k, c, h, w);
}

cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t conv, int padding_h,
                                              int padding_w, int stride_h, int stride_w,
                                              int dilation_h, int dilation_w,
                                              cudnnConvolutionMode_t mode,
                                              cudnnDataType_t sum_type) {
  if (!is_alive("cudnnSetConvolution2dDescriptor", kConvolution, conv) || padding_h < 0 ||
      padding_w < 0 || std::min({stride_h, stride_w, dilation_h, dilation_w}) < 1)
    return CUDNN_STATUS_BAD_PARAM;
  const bool sums = sum_type == CUDNN_DATA_FLOAT || sum_type == CUDNN_DATA_DOUBLE;
  if (mode != CUDNN_CROSS_CORRELATION || !sums) return CUDNN_STATUS_NOT_SUPPORTED;
  Conv2d& steps = conv->steps;
  steps.padding_h = padding_h, steps.padding_w = padding_w;
  steps.stride_h = stride_h, steps.stride_w = stride_w;
  steps.dilation_h = dilation_h, steps.dilation_w = dilation_w;
  conv->sum_type = sum_type;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t conv, int groups) {
  if (!is_alive("cudnnSetConvolutionGroupCount", kConvolution, conv) || groups < 1)
    return CUDNN_STATUS_BAD_PARAM;
  conv->steps.groups = groups;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t conv, cudnnMathType_t math) {
  if (!is_alive("cudnnSetConvolutionMathType", kConvolution, conv)) return CUDNN_STATUS_BAD_PARAM;
  conv->math = math;
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
