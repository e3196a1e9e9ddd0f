// Prepares parameters for the fused kernels, which walk flat memory: gradient and state are brought
// to the parameter's device, type and memory order, which costs nothing when they are there
// already.
#pragma once

#include "td/tensor/tensor.h"

namespace td::optim {

/// The elements fill a block of memory without gaps, in whatever order.
bool is_dense(const Tensor& tensor);
/// Both are dense in one memory order: element i of the one's memory belongs to i of the other's.
bool same_layout(const Tensor& a, const Tensor& b);
/// A new tensor of zeros with the memory order of `like`.
Tensor zeros_in_layout(const Tensor& like);
/// `tensor` on the device, in the type and the memory order of `param`.
Tensor in_layout(const Tensor& tensor, const Tensor& param);
/// The gradient as the kernels need it.
/// @throws Error when device, type or sizes are not the parameter's.
Tensor gradient_for(const char* optimizer, const Tensor& param);

}  // namespace td::optim
