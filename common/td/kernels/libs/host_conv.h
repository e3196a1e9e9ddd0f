// 2-dimensional convolution on host memory: oneDNN for float32 and bfloat16, im2col and a matrix
// product for the rest. ops/conv/conv_kernels.cu calls it for cpu and sim. Compiled by g++ alone.
// Invariant: uses at most parallel_width() threads of the calling thread.
#pragma once

#include "td/tensor/dtype.h"

namespace td::kernels {

/// A convolution's sizes: input [n, c, h, w], weight [k, c / groups, r, s], output [n, k, oh, ow].
/// All three are stored alike: contiguous, or with channels last. Trivially copyable.
struct Conv2d {
  ScalarType dtype = kFloat;
  bool channels_last = false;
  int n = 0, c = 0, h = 0, w = 0;
  int k = 0, r = 0, s = 0;
  int oh = 0, ow = 0;
  int stride_h = 1, stride_w = 1;
  int padding_h = 0, padding_w = 0;
  int dilation_h = 1, dilation_w = 1;
  int groups = 1;

  friend bool operator==(const Conv2d&, const Conv2d&) = default;
};

/// Whether the host has a kernel for channels last in this type; else bring contiguous copies.
bool host_conv_takes_channels_last(ScalarType dtype);

/// output = convolution of input with weight, plus bias [k] unless that is nullptr.
/// Types: float32, float64, and bfloat16 where host_convolves() says so. @pre no size is zero;
/// nothing overlaps.
void host_conv2d(const Conv2d& conv, const void* input, const void* weight, const void* bias,
                 void* output);

/// Gradients from `grad`, that of the output. A target that is nullptr is not computed, and
/// `weight` is needed only for grad_input, `input` only for grad_weight. grad_bias comes with
/// grad_weight.
void host_conv2d_backward(const Conv2d& conv, const void* grad, const void* input,
                          const void* weight, void* grad_input, void* grad_weight, void* grad_bias);

#ifdef TD_HAS_ONEDNN
/// The same by oneDNN, float32 and bfloat16 alone (onednn_conv.cpp).
void onednn_conv2d(const Conv2d& conv, const void* input, const void* weight, const void* bias,
                   void* output);
void onednn_conv2d_backward(const Conv2d& conv, const void* grad, const void* input,
                            const void* weight, void* grad_input, void* grad_weight,
                            void* grad_bias);
#endif

}  // namespace td::kernels
