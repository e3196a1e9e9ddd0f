// Fused optimizer steps: one launch changes up to a dozen parameters, where separate operations
// would take several launches each. Called by optim/. Tensors of one call share device and type,
// and each parameter's tensors are dense in one memory order.
#pragma once

#include "td/tensor/tensor.h"

namespace td::kernels {

/// What a capturable step reads in device memory: a graph that recorded it follows every change,
/// where numbers of the host would be those of the recording. One element each.
struct StepControl {
  const Tensor* lr = nullptr;          ///< float64; nullptr: this step is not capturable
  const Tensor* grad_scale = nullptr;  ///< float32: gradients are divided by it; may be nullptr
  const Tensor* found_inf = nullptr;   ///< float32: not 0: nothing changes; may be nullptr
};
/// What one parameter's capturable step computes with, float64: steps made, step size
/// (lr / (1 - beta1^t) for Adam, lr for SGD), sqrt(1 - beta2^t), factor of the parameter.
inline constexpr std::int64_t kStepNumbers = 4;

/// One parameter of an SGD step.
struct SgdTensors {
  const Tensor* param;
  const Tensor* grad;
  const Tensor* momentum;  ///< nullptr without momentum
  bool first;              ///< the momentum buffer has no value yet
  const Tensor* numbers;   ///< of a capturable step, else nullptr
};
struct SgdNumbers {
  double lr, momentum, dampening, weight_decay;
  bool nesterov;
};
/// At most this many parameters in one call, so that pointers and extents fit in a Record.
inline constexpr std::size_t kSgdTensors = 16, kSgdCapturable = 15;
/// g = grad + weight_decay * param; momentum = momentum * m + (1 - dampening) * g (g at first);
/// param -= lr * (nesterov: g + m * momentum, else momentum).
void sgd(const SgdTensors* tensors, std::size_t count, const SgdNumbers& numbers,
         const StepControl& control = {});

/// One parameter of an Adam step.
struct AdamTensors {
  const Tensor* param;
  const Tensor* grad;
  const Tensor* average;  ///< of the gradients
  const Tensor* square;   ///< average of their squares
  const Tensor* largest;  ///< the largest `square` so far, for amsgrad; else nullptr
  std::int64_t step;      ///< counted from 1
  const Tensor* numbers;  ///< of a capturable step, else nullptr; `step` is not read then
};
struct AdamNumbers {
  double lr, beta1, beta2, eps, weight_decay;
  bool decoupled;  ///< AdamW: the decay does not enter the averages
};
inline constexpr std::size_t kAdamTensors = 12, kAdamCapturable = 10;
/// Kingma and Ba, 2015; with `decoupled` Loshchilov and Hutter, 2019.
void adam(const AdamTensors* tensors, std::size_t count, const AdamNumbers& numbers,
          const StepControl& control = {});

/// Counts the step of up to kSgdCapturable parameters in the first of their kStepNumbers, and sets
/// the others by the new count; does nothing where `*control.found_inf` is not 0. A launch of its
/// own, because all threads of the step read the result.
/// @param rule without betas for SGD, whose step size is lr.
void count_step(const Tensor* const* numbers, std::size_t count, const AdamNumbers& rule,
                const StepControl& control);

}  // namespace td::kernels
