// 2-dimensional convolutions of tensors, on every device. ops/conv/conv.cpp calls them.
#pragma once

#include <array>

#include "td/tensor/tensor.h"

namespace td::kernels {

/// How the kernel moves over the image; each pair is {height, width}.
struct ConvSteps {
  std::array<std::int64_t, 2> stride{1, 1}, padding{0, 0}, dilation{1, 1};
  std::int64_t groups = 1;
};

/// output [n, k, oh, ow] = convolution of input [n, c, h, w] with weight [k, c / groups, r, s],
/// plus bias [k] when defined. One floating point type. The result's layout says in which layout to
/// work: contiguous, or channels last; arguments in another one are copied.
void conv2d(const Tensor& output, const Tensor& input, const Tensor& weight, const Tensor& bias,
            const ConvSteps& steps);

/// Gradients from `grad`, that of the output, in its layout. An undefined target is not computed;
/// `weight` is read for grad_input, `input` for grad_weight (the other may be undefined).
void conv2d_backward(const Tensor& grad_input, const Tensor& grad_weight, const Tensor& grad,
                     const Tensor& input, const Tensor& weight, const ConvSteps& steps);

}  // namespace td::kernels
