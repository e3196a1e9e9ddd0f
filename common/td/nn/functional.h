// nn::functional: layers without memory, as functions of tensors and options. Programs and layers
// call these. Names and options are libtorch's. td_more/functional.h has the others.
#pragma once

#include "td/autograd/record.h"
#include "td/nn/options.h"
#include "td/ops/ops.h"

namespace td::nn::functional {

/// @name Options of functions, where they differ from the layers'
/// @{

/// For dropout.
struct DropoutFuncOptions {
  /// Probability that an element becomes zero.
  TD_ARG(double, p) = 0.5;
  /// False leaves the input as it is.
  TD_ARG(bool, training) = true;
  /// Writes into the input's memory.
  TD_ARG(bool, inplace) = false;
};
using CrossEntropyFuncOptions = CrossEntropyLossOptions;
using MSELossFuncOptions = MSELossOptions;
/// @}

/// @name Layers
/// @{
inline Tensor dropout(const Tensor& input, const DropoutFuncOptions& options = {}) {
  const Tensor result = td::dropout(input, options.p(), options.training());
  if (!options.inplace() || result.is_same(input)) return result;
  check_inplace("dropout_", input);
  return Tensor(input).copy_(result);
}
/// @}

/// @name Losses
/// @{
inline Tensor cross_entropy(const Tensor& input, const Tensor& target,
                            const CrossEntropyFuncOptions& options = {}) {
  return td::cross_entropy_loss(input, target, options.weight(), options.reduction(),
                                options.ignore_index(), options.label_smoothing());
}
inline Tensor mse_loss(const Tensor& input, const Tensor& target,
                       const MSELossFuncOptions& options = {}) {
  return td::mse_loss(input, target, options.reduction());
}
/// @}

}  // namespace td::nn::functional
