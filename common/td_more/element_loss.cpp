// Losses of single elements: l1, smooth_l1 and the two binary cross entropies. They are expressions
// of other operations; two have a kernel of their own (kernels.h).
#include "td/ops/op.h"
#include "td_more/functions.h"
#include "td_more/kernels.h"

namespace td {
namespace {

constexpr Op l1_op{"l1_loss", {"input", "target"}};
constexpr Op smooth_op{"smooth_l1_loss", {"input", "target"}};
constexpr Op bce_op{"binary_cross_entropy", {"input", "target", "weight"}, 2};
constexpr Op logits_op{
    "binary_cross_entropy_with_logits", {"input", "target", "weight", "pos_weight"}, 2};

Tensor reduced(const Tensor& losses, Reduction::Reduction reduction) {
  return reduction == kNone ? losses : reduction == kSum ? sum(losses) : mean(losses);
}

void check_equal_sizes(const Op& op, const Tensor& input, const Tensor& target) {
  TD_CHECK(ShapeError, input.sizes() == target.sizes(), op.name,
           ": \"target\" needs the sizes of "
           "\"input\", ",
           input.sizes(), ", but has ", target.sizes(), "; reshape or expand it");
}

void check_broadcasts(const Op& op, const char* name, const Tensor& weight, const Tensor& input) {
  TD_CHECK(ShapeError,
           !weight.defined() ||
               broadcast_sizes(op.name, input.sizes(), weight.sizes()) == input.impl().sizes,
           op.name, ": \"", name, "\" of sizes ", weight.sizes(),
           " does not broadcast to those of \"input\", ", input.sizes());
}

// Gradient of -(t log x + (1-t) log(1-x)); the divisor is kept away from 0 as in PyTorch.
Tensor bce_gradient(const Tensor& g, const Tensor& x, const Tensor& t) {
  return g * (x - t) / clamp_min(x * (Scalar(1) - x), 1e-12);
}

// log(1 + exp(-|x|)) + max(-x, 0) = -log(sigmoid(x)), exact for large |x| of either sign.
Tensor minus_log_sigmoid(const Tensor& x) { return log1p(exp(-abs(x))) + clamp_min(-x, 0); }

// With p = pos_weight:  loss = (1 - t) x + (1 + (p - 1) t) (-log sigmoid(x)),
// whose gradient of x is  (p t + 1 - t) sigmoid(x) - p t.
Tensor logits_loss(const Tensor& x, const Tensor& t, const Tensor& p) {
  Tensor y;
  {
    const NoGradGuard no_grad;
    const Tensor rest = (Scalar(1) - t) * x, l = minus_log_sigmoid(x);
    y = p.defined() ? rest + ((p - Scalar(1)) * t + Scalar(1)) * l : rest + l;
  }
  if (!recording(x, t, p)) return y;
  const auto backward = [x = save(x), t = save(t), saved = save(p)](Gradients& grads,
                                                                    const Tensor& g) {
    const Tensor xs = x(), ts = t(), p = saved();
    grads.set_lazily(0, [&] {
      if (!p.defined()) return g * (sigmoid(xs) - ts);
      const Tensor pt = p * ts;
      return g * ((pt + Scalar(1) - ts) * sigmoid(xs) - pt);
    });
    grads.set_lazily(1, [&] {
      return p.defined() ? g * ((p - Scalar(1)) * minus_log_sigmoid(xs) - xs) : -g * xs;
    });
    grads.set_lazily(2, [&] { return sum_to(g * ts * minus_log_sigmoid(xs), p.sizes()); });
  };
  record(logits_op.name, y, {&x, &t, &p}, backward);
  return y;
}

}  // namespace

Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction::Reduction reduction) {
  if (autocast::active()) [[unlikely]]
    return autocast::run(autocast::rule("l1_loss"), l1_loss, input, target, reduction);
  common_device(l1_op, input, target);
  warn_of_broadcast(l1_op, input, target);
  return reduced(abs(input - target), reduction);
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, Reduction::Reduction reduction,
                      double beta) {
  if (autocast::active()) [[unlikely]]
    return autocast::run(autocast::rule("smooth_l1_loss"), smooth_l1_loss, input, target, reduction,
                         beta);
  common_device(smooth_op, input, target);
  warn_of_broadcast(smooth_op, input, target);
  TD_CHECK(Error, beta >= 0, "smooth_l1_loss: beta must not be negative but is ", beta);
  if (beta == 0) return l1_loss(input, target, reduction);
  const Tensor d = input - target;
  return reduced(kernels::smooth_l1(as_type(d, float_type(d.dtype())), beta), reduction);
}

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                            Reduction::Reduction reduction) {
  if (autocast::active()) [[unlikely]]
    return autocast::run(autocast::rule("binary_cross_entropy"), binary_cross_entropy, input,
                         target, weight, reduction);
  const Device device = common_device(bce_op, input, target, weight);
  check_equal_sizes(bce_op, input, target);
  check_broadcasts(bce_op, "weight", weight, input);
  const Tensor &x = input, &t = target;
  const ScalarType type = float_type(result_type(x, t));
  const Tensor y = empty_on(x.impl().sizes, type, device);
  kernels::binary_cross_entropy(y, to_device(as_type(x.detach(), type), device),
                                to_device(as_type(t.detach(), type), device));
  if (recording(x, t))
    record("binary_cross_entropy", y, {&x, &t},
           [x = save(x), t = save(t)](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return bce_gradient(g, x(), t()); });
             grads.set_lazily(1, [&] { return g * (log(Scalar(1) - x()) - log(x())); });
           });
  return reduced(weight.defined() ? y * weight : y, reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const Tensor& weight, const Tensor& pos_weight,
                                        Reduction::Reduction reduction) {
  if (autocast::active()) [[unlikely]]
    return autocast::run(autocast::rule("binary_cross_entropy_with_logits"),
                         binary_cross_entropy_with_logits, input, target, weight, pos_weight,
                         reduction);
  common_device(logits_op, input, target, weight, pos_weight);
  check_equal_sizes(logits_op, input, target);
  check_broadcasts(logits_op, "weight", weight, input);
  check_broadcasts(logits_op, "pos_weight", pos_weight, input);
  const Tensor y = logits_loss(input, target, pos_weight);
  return reduced(weight.defined() ? y * weight : y, reduction);
}

}  // namespace td
