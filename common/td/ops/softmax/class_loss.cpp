// nll_loss and cross_entropy_loss: losses of class numbers, one fused pass each way.
#include "td/ops/op.h"

namespace td {
namespace {

constexpr Op nll_op{"nll_loss", {"input", "target", "weight"}};
constexpr Op cross_op{"cross_entropy", {"input", "target", "weight"}};

// Everything both directions need; x is dense [N, C, ...].
struct Classes {
  Tensor x, target, weight;
  kernels::ClassLoss kind;
};

void check_classes(const Op& op, const Classes& c) {
  TD_CHECK(DtypeError, c.x.is_floating_point(), op.name,
           ": \"input\" must be floating point but is ", c.x.dtype());
  TD_CHECK(DtypeError, c.target.dtype() == kLong, op.name,
           ": \"target\" holds class numbers and "
           "must be int64 but is ",
           c.target.dtype(), "; convert it with to(kInt64)");
  Sizes wanted(c.x.sizes());
  wanted.erase(1);
  TD_CHECK(ShapeError, wanted == c.target.impl().sizes, op.name, ": \"input\" of sizes ",
           c.x.sizes(), " (batch, classes, ...) needs a \"target\" of sizes ", IntArrayRef(wanted),
           " but got ", c.target.sizes());
  if (!c.weight.defined()) return;
  TD_CHECK(ShapeError, c.weight.dim() == 1 && c.weight.numel() == c.x.size(1), op.name,
           ": \"weight\" needs one number for each of the ", c.x.size(1), " classes but has sizes ",
           c.weight.sizes());
  TD_CHECK(DtypeError, c.weight.dtype() == c.x.dtype(), op.name, ": \"weight\" is ",
           c.weight.dtype(), " but \"input\" is ", c.x.dtype(), "; convert it with to(dtype)");
}

// What each class's log-probability is multiplied with, minus signs apart: the weights of the
// target and of the smoothing, 0 in ignored rows. A constant of the graph.
Tensor wanted(const Classes& c) {
  const NoGradGuard no_grad;
  const Tensor valid = c.target.ne(Scalar(c.kind.ignore_index)).unsqueeze(1);
  const Tensor t = c.target.unsqueeze(1).masked_fill(valid.logical_not(), 0);
  const double e = c.kind.label_smoothing;
  Tensor all = zeros(c.x.sizes(), c.x.options()).scatter(1, t, Scalar(1.0 - e));
  if (e > 0) all = all + Scalar(e / static_cast<double>(c.x.size(1)));
  if (c.weight.defined()) {
    Sizes column(static_cast<std::size_t>(c.x.dim()), 1);
    column[1] = c.x.size(1);
    all = all * c.weight.detach().reshape(column);
  }
  return where(valid, all, Scalar(0));
}

// The gradient in recorded operations, for gradients of gradients.
Tensor expression(const Classes& c, const Tensor& g, const Tensor& weight_sum) {
  const Tensor q = wanted(c);
  const Tensor scale = c.kind.mean ? g / weight_sum : g;
  const Tensor by_row = scale.dim() == 0 ? scale : scale.unsqueeze(1);
  if (c.kind.from_log) return -q * by_row;
  return (softmax(c.x, 1) * q.sum(1, true) - q) * by_row;
}

Tensor loss(const Op& op, const Classes& c, Reduction::Reduction reduction) {
  check_classes(op, c);
  const Device device = c.x.device();
  const ScalarType type = c.x.dtype();
  const ScalarType computed = type == kHalf || type == kBFloat16 ? kFloat : type;
  Tensor losses = empty_on(c.target.impl().sizes, type, device);
  Tensor log_sums = empty_on(c.target.impl().sizes, computed, device);
  Tensor total = empty_on({}, type, device), weight_sum = empty_on({}, type, device);
  kernels::class_loss(losses, log_sums, total, weight_sum, c.x, c.target, c.weight, c.kind);
  const Tensor result = reduction == kNone ? losses : total;
  if (!recording(c.x)) return result;
  const auto backward = [x = save(c.x), target = save(c.target), weight = c.weight, kind = c.kind,
                         log_sums, weight_sum](Gradients& grads, const Tensor& g) {
    grads.set_lazily(0, [&] {
      const Classes c{x(), target(), weight, kind};
      if (recording(g, c.x)) return expression(c, g, weight_sum);
      Tensor out = empty_on(Sizes(c.x.sizes()), c.x.dtype(), c.x.device());
      kernels::class_loss_backward(out, g.contiguous(), c.x, log_sums, weight_sum, c.target,
                                   c.weight, c.kind);
      return out;
    });
  };
  record(op.name, result, {&c.x}, backward);
  return result;
}

// One sample without a batch dimension is a batch of one.
Tensor batched_loss(const Op& op, const Tensor& input, const Tensor& target, const Tensor& weight,
                    Reduction::Reduction reduction, const kernels::ClassLoss& kind) {
  const Device device = common_device(op, input, target, weight);
  if (!target.defined()) undefined_argument(op, 1);
  TD_CHECK(ShapeError, input.dim() >= 1, op.name, ": \"input\" needs a dimension of classes");
  const bool single = input.dim() == 1;
  const Tensor t = target.to(device);
  Classes c{(single ? input.unsqueeze(0) : input).contiguous(),
            (single ? t.unsqueeze(0) : t).contiguous(),
            weight.defined() ? weight.contiguous() : weight, kind};
  c.kind.mean = reduction == kMean;
  const Tensor result = loss(op, c, reduction);
  return single && reduction == kNone ? result.squeeze(0) : result;
}

// Targets that are probabilities: no class number to look up.
Tensor probability_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                        Reduction::Reduction reduction, double label_smoothing) {
  const std::int64_t dim = input.dim() == 1 ? 0 : 1;
  const auto classes = static_cast<double>(input.size(dim));
  Tensor t = target;
  if (label_smoothing > 0) t = t * (1 - label_smoothing) + Scalar(label_smoothing / classes);
  Tensor logs = log_softmax(input, dim) * t;
  if (weight.defined()) {
    Sizes column(static_cast<std::size_t>(input.dim()), 1);
    column[static_cast<std::size_t>(dim)] = input.size(dim);
    logs = logs * weight.reshape(column);
  }
  if (reduction == kNone) return -sum(logs, dim);
  const Tensor total = -sum(logs);
  const auto rows = static_cast<double>(input.numel()) / classes;
  return reduction == kSum ? total : total / Scalar(rows);
}

}  // namespace

Tensor nll_loss_impl(const Tensor& input, const Tensor& target, const Tensor& weight,
                     Reduction::Reduction reduction, std::int64_t ignore_index) {
  return batched_loss(nll_op, input, target, weight, reduction, {ignore_index, 0, true, false});
}

Tensor cross_entropy_loss_impl(const Tensor& input, const Tensor& target, const Tensor& weight,
                               Reduction::Reduction reduction, std::int64_t ignore_index,
                               double label_smoothing) {
  TD_CHECK(Error, label_smoothing >= 0 && label_smoothing <= 1,
           "cross_entropy: label_smoothing must be between 0 and 1 but is ", label_smoothing);
  common_device(cross_op, input, target, weight);
  if (!target.defined()) undefined_argument(cross_op, 1);
  if (target.is_floating_point() && target.sizes() == input.sizes())
    return probability_loss(input, target, weight, reduction, label_smoothing);
  return batched_loss(cross_op, input, target, weight, reduction,
                      {ignore_index, label_smoothing, false, false});
}

}  // namespace td
