// Fused optimizer steps: one launch changes up to a dozen parameters, where separate operations
// would take several launches each. Called by optim/. Tensors of one call share device and type,
// and each parameter's tensors are dense in one memory order.
#pragma once

#include "td/tensor/tensor.h"

namespace td::kernels {

/// One parameter of an SGD step.
struct SgdTensors {
  const Tensor* param;
  const Tensor* grad;
  const Tensor* momentum;  ///< nullptr without momentum
  bool first;              ///< the momentum buffer has no value yet
};
struct SgdNumbers {
  double lr, momentum, dampening, weight_decay;
  bool nesterov;
};
/// At most this many parameters in one call, so that pointers and extents fit in a Record.
inline constexpr std::size_t kSgdTensors = 16;
/// g = grad + weight_decay * param; momentum = momentum * m + (1 - dampening) * g (g at first);
/// param -= lr * (nesterov: g + m * momentum, else momentum).
void sgd(const SgdTensors* tensors, std::size_t count, const SgdNumbers& numbers);

/// One parameter of an Adam step.
struct AdamTensors {
  const Tensor* param;
  const Tensor* grad;
  const Tensor* average;  ///< of the gradients
  const Tensor* square;   ///< average of their squares
  const Tensor* largest;  ///< the largest `square` so far, for amsgrad; else nullptr
  std::int64_t step;      ///< counted from 1
};
struct AdamNumbers {
  double lr, beta1, beta2, eps, weight_decay;
  bool decoupled;  ///< AdamW: the decay does not enter the averages
};
inline constexpr std::size_t kAdamTensors = 12;
/// Kingma and Ba, 2015; with `decoupled` Loshchilov and Hutter, 2019.
void adam(const AdamTensors* tensors, std::size_t count, const AdamNumbers& numbers);

}  // namespace td::kernels
