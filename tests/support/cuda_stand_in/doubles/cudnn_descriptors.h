// Descriptors of the double of cuDNN. cudnn.cpp makes and checks them; cudnn_convolutions.cpp uses
// them.
#pragma once

#include "doubles/convolutions.h"

struct cudnnContext : cuda_stand_in::Handle {};
struct cudnnTensorStruct : cuda_stand_in::Images {};
struct cudnnFilterStruct : cuda_stand_in::Images {};
struct cudnnConvolutionStruct {
  td::cuda::Conv2d steps;  // strides, paddings, dilations and groups
  cudnnDataType_t sum_type = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

namespace cuda_stand_in {

constexpr const char* kDnnHandle = "cudnnHandle_t";

/// A convolution as four descriptors say it.
struct Problem {
  cudnnTensorDescriptor_t x;
  cudnnFilterDescriptor_t w;
  cudnnConvolutionDescriptor_t conv;
  cudnnTensorDescriptor_t y;

  /// What the core calls it. @pre check() succeeded
  td::cuda::Conv2d sizes() const;
  /// Whether cuDNN convolves so on this device. Refuses descriptors that do not exist.
  cudnnStatus_t check(const char* call, int device) const;
};

int compute_capability(int device);

}  // namespace cuda_stand_in
