// Activations made of other operations, which brings their gradients.
#include "td/ops/op.h"

namespace td {

Tensor leaky_relu(const Tensor& input, const Scalar& negative_slope) {
  common_device({"leaky_relu", {"input"}}, input);
  return where(input > 0, input, input * negative_slope);
}

Tensor gelu(const Tensor& input) {
  common_device({"gelu", {"input"}}, input);
  constexpr double kRootOfHalf = 0.70710678118654752440;
  return input * 0.5 * (erf(input * kRootOfHalf) + 1);
}

Tensor silu(const Tensor& input) {
  common_device({"silu", {"input"}}, input);
  return input * sigmoid(input);
}

}  // namespace td
