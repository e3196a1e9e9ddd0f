// Activations with parameters, from activation.def. This file says what p and q of a line are.
#include "td/ops/pointwise/unary.h"
#include "td_more/functions.h"
#include "td_more/kernels.h"

namespace td {
namespace {

#define ACTIVATION(name, forward, gradient) \
  TD_UNARY_OP(name, x, UnaryOp::kFloatsOnly, forward, gradient)
#include "td_more/activation.def"
#undef ACTIVATION

// Of smooth_l1_loss: x is the difference, and p is beta.
TD_UNARY_OP(smooth_l1, x, UnaryOp::kFloatsOnly,
            where(where(x < T(0), -x, x) < p, T(0.5) * x * x / p,
                  where(x < T(0), -x, x) - T(0.5) * p),
            where(where(x < T(0), -x, x) < p, g* x / p, g* sign(x)))

}  // namespace

Tensor kernels::smooth_l1(const Tensor& x, double beta) { return unary(smooth_l1_op, x, beta); }

Tensor leaky_relu(const Tensor& input, const Scalar& negative_slope) {
  return unary(leaky_relu_op, input, negative_slope.to<double>());
}
Tensor elu(const Tensor& input, const Scalar& alpha, const Scalar& scale,
           const Scalar& input_scale) {
  const Tensor y = unary(elu_op, input, alpha.to<double>(), input_scale.to<double>());
  return scale.to<double>() == 1.0 ? y : y * scale;
}
Tensor softplus(const Tensor& input, const Scalar& beta, const Scalar& threshold) {
  return unary(softplus_op, input, beta.to<double>(), threshold.to<double>());
}
Tensor silu(const Tensor& input) { return unary(silu_op, input); }
Tensor gelu(const Tensor& input) { return unary(gelu_op, input); }

Tensor& leaky_relu_(Tensor& input, const Scalar& negative_slope) {
  return unary_in_place(leaky_relu_op, input, negative_slope.to<double>());
}

}  // namespace td
