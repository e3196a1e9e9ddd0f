// The kernels that the losses of single elements launch. The caller has checked the arguments.
#pragma once

#include "td/tensor/tensor.h"

namespace td::kernels {

/// The loss of each element; x, target and out have one floating point type. @throws Error, on a
/// device later, when an element of x is no probability.
void binary_cross_entropy(const Tensor& out, const Tensor& x, const Tensor& target);
/// x^2 / (2 beta) where |x| < beta, else |x| - beta / 2; a new tensor, with its gradient.
Tensor smooth_l1(const Tensor& x, double beta);

}  // namespace td::kernels
