// How cuDNN makes one convolution: the descriptors of its sizes, the way that is taken, and the
// ways to take when cuDNN refuses that one. conv.cpp keeps a plan for each shape. Invariant: the
// descriptor holds the math type that belongs to the algorithm and to its workspace.
#pragma once

#include <cudnn.h>

#include <memory>
#include <vector>

#include "td/backends/cuda/libs/stream_state.h"

namespace td::cuda {

/// An algorithm and the math type that the descriptor must hold while it is used: cuDNN lists some
/// algorithms twice, and the work memory belongs to both.
struct ConvWay {
  int algorithm;
  cudnnMathType_t math;
  friend bool operator==(const ConvWay&, const ConvWay&) = default;
};

/// All that a call of cuDNN wants to know besides the pointers.
struct ConvPlan {
  ConvKind kind;
  Conv2d sizes;
  cudnnTensorDescriptor_t input = nullptr, output = nullptr;
  cudnnFilterDescriptor_t weight = nullptr;
  cudnnConvolutionDescriptor_t conv = nullptr;  ///< holds the math type of the way that is taken
  int algorithm = 0;
  std::size_t workspace = 0;
  std::vector<ConvWay> others;  ///< ways to try when this one is refused, the best one last

  ConvPlan(ConvKind kind, const Conv2d& sizes) : kind(kind), sizes(sizes) {}
  ConvPlan(const ConvPlan&) = delete;
  ConvPlan& operator=(const ConvPlan&) = delete;
  ~ConvPlan() {
    if (input) cudnnDestroyTensorDescriptor(input);
    if (output) cudnnDestroyTensorDescriptor(output);
    if (weight) cudnnDestroyFilterDescriptor(weight);
    if (conv) cudnnDestroyConvolutionDescriptor(conv);
  }
};

/// What a convolution reads and writes, as in Libs.
struct ConvData {
  const void *first, *second;
  void* result;
  double beta;  ///< 1 adds to what the result holds
};

/// A plan with the best way to make a convolution. @throws DeviceError when cuDNN knows none.
std::unique_ptr<ConvPlan> make_conv_plan(cudnnHandle_t dnn, ConvKind kind, const Conv2d& sizes);
/// Makes the plan the next best way's; false when none is left.
bool take_next_way(cudnnHandle_t dnn, ConvPlan& plan);
/// Queues the convolution, or returns why cuDNN refuses. @throws OutOfMemoryError for its workspace
cudnnStatus_t start(cudnnHandle_t dnn, const ConvPlan& plan, const ConvData& data, int device);
/// Throws what cuDNN's status means. @param doing which call failed, as the message's beginning.
/// @throws DeviceError
void check(cudnnStatus_t status, const char* doing);

}  // namespace td::cuda
