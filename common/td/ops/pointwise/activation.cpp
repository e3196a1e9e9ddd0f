// Activations with parameters: one body for all lines of tensor/activation.def.
#include "td/ops/op.h"

namespace td {
namespace {

// One line of the list, as data.
struct Activation {
  Op op;
  const autocast::Rule* rule;
  void (*forward)(const Tensor& out, const Tensor& x, double p, double q);
  void (*backward)(const Tensor& out, const Tensor& g, const Tensor& x, double p, double q);
  Tensor (*expression)(const Tensor& g, const Tensor& x, const Scalar& p, const Scalar& q);
};

// T(...) in a gradient's text is a number here, and functions find the Tensor versions.
#define ACTIVATION(name, forward, gradient)                                                    \
  Tensor name##_expression(const Tensor& g, const Tensor& x, [[maybe_unused]] const Scalar& p, \
                           [[maybe_unused]] const Scalar& q) {                                 \
    using T [[maybe_unused]] = Scalar;                                                         \
    return gradient;                                                                           \
  }                                                                                            \
  constexpr Activation name##_op{{#name, {"input"}},                                           \
                                 autocast::find(#name),                                        \
                                 kernels::name,                                                \
                                 kernels::name##_backward,                                     \
                                 name##_expression};
#include "td/ops/pointwise/activation.def"
#undef ACTIVATION

void check(const Activation& a, const Tensor& x) {
  common_device(a.op, x);
  TD_CHECK(DtypeError, x.is_floating_point(), a.op.name,
           ": expected a floating point tensor but got ", x.dtype(),
           "; convert it with to(kFloat32)");
}

// The gradient: one fused kernel, or recorded operations when it must itself be differentiable.
struct Backward {
  const Activation* a;
  SavedVariable x;
  double p, q;
  void operator()(Gradients& grads, const Tensor& g) const {
    grads.set_lazily(0, [&] {
      const Tensor kept = x();
      if (recording(g, kept)) return a->expression(g, kept, p, q);
      Tensor out = result_like(g, g.impl().sizes, g.dtype(), g.device());
      a->backward(out, g, kept, p, q);
      return out;
    });
  }
};

Tensor activation(const Activation& a, const Tensor& x, double p = 0, double q = 0) {
  if (autocast::active() && a.rule) [[unlikely]]
    return autocast::run(
        *a.rule, [&](const Tensor& input) { return activation(a, input, p, q); }, x);
  check(a, x);
  Tensor y = result_like(x, x.impl().sizes, x.dtype(), x.device());
  a.forward(y, x, p, q);
  if (recording(x)) record(a.op.name, y, {&x}, Backward{&a, save(x), p, q});
  return y;
}

Tensor& activation_in_place(const Activation& a, Tensor& x, double p = 0, double q = 0) {
  check(a, x);
  const SavedVariable kept = recording(x) ? save(x.clone()) : SavedVariable();
  check_inplace(a.op.name, x);
  increment_version(x);
  a.forward(x, x, p, q);
  if (recording(x)) record_in_place(a.op.name, x, {&x}, Backward{&a, kept, p, q});
  return x;
}

}  // namespace

Tensor leaky_relu(const Tensor& input, const Scalar& negative_slope) {
  return activation(leaky_relu_op, input, negative_slope.to<double>());
}
Tensor elu(const Tensor& input, const Scalar& alpha, const Scalar& scale,
           const Scalar& input_scale) {
  const Tensor y = activation(elu_op, input, alpha.to<double>(), input_scale.to<double>());
  return scale.to<double>() == 1.0 ? y : y * scale;
}
Tensor softplus(const Tensor& input, const Scalar& beta, const Scalar& threshold) {
  return activation(softplus_op, input, beta.to<double>(), threshold.to<double>());
}
Tensor silu(const Tensor& input) { return activation(silu_op, input); }
Tensor gelu(const Tensor& input, std::string_view approximate) {
  if (approximate == "none") return activation(gelu_op, input);
  TD_CHECK(Error, approximate == "tanh", "gelu: approximate must be \"none\" or \"tanh\" but is \"",
           approximate, "\"");
  check(gelu_op, input);
  constexpr double kRootOfTwoOverPi = 0.79788456080286535588;
  const Tensor inner = (input + input * input * input * 0.044715) * kRootOfTwoOverPi;
  return input * 0.5 * (tanh(inner) + 1);
}

Tensor& leaky_relu_(Tensor& input, const Scalar& negative_slope) {
  return activation_in_place(leaky_relu_op, input, negative_slope.to<double>());
}
Tensor& elu_(Tensor& input, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
  activation_in_place(elu_op, input, alpha.to<double>(), input_scale.to<double>());
  if (scale.to<double>() != 1.0) input.mul_(scale);
  return input;
}
Tensor& silu_(Tensor& input) { return activation_in_place(silu_op, input); }

}  // namespace td
