// batch_norm and layer_norm. Each has a fused gradient, and the same gradient as an expression of
// recorded operations for when it must itself be differentiable.
#include "td/ops/norm/norm.h"
#include "td/ops/op.h"

namespace td {
namespace {

constexpr Op kBatchNorm{"batch_norm", {"input", "weight", "bias", "running_mean", "running_var"}};
constexpr Op kLayerNorm{"layer_norm", {"input", "weight", "bias"}};

// Statistics and parameters are kept in the type that kernels compute in.
ScalarType stat_type(ScalarType dtype) { return dtype == kDouble ? kDouble : kFloat; }

void check_channels(const char* name, const Tensor& t, std::int64_t channels) {
  TD_CHECK(ShapeError, !t.defined() || (t.dim() == 1 && t.size(0) == channels), "batch_norm: \"",
           name, "\" must have sizes [", channels,
           "], one number per channel of \"input\", but has ", t.sizes());
  TD_CHECK(DtypeError, !t.defined() || t.is_floating_point(), "batch_norm: \"", name,
           "\" must be floating point but is ", t.dtype());
}

// What the gradient needs, whether computed by kernels or by expressions.
struct BatchNorm {
  bool training;
  double eps;
  Tensor mean, inverse_std;  ///< [c], of the batch or the running ones
  Sizes dims, per_channel;   ///< all dimensions but 1; [1, c, 1, ...]
};

Tensor dense(const Tensor& x) { return x.contiguous(x.suggest_memory_format()); }

// The gradient as recorded operations. w is 1 when there is no weight.
void give_expressions(Gradients& grads, const Tensor& g, const Tensor& x, const Tensor& w,
                      const BatchNorm& n) {
  Tensor centered, inverse;
  if (n.training) {
    centered = x - x.mean(n.dims, true);
    inverse = (centered.square().mean(n.dims, true) + n.eps).rsqrt();
  } else {
    centered = x - n.mean.view(n.per_channel);
    inverse = n.inverse_std.view(n.per_channel);
  }
  const Tensor normal = centered * inverse;
  grads.set_lazily(0, [&] {
    const Tensor scaled = w.defined() ? g * w.view(n.per_channel) : g;
    if (!n.training) return scaled * inverse;
    return inverse *
           (scaled - scaled.mean(n.dims, true) - normal * (scaled * normal).mean(n.dims, true));
  });
  grads.set_lazily(1, [&] { return (g * normal).sum(n.dims); });
  grads.set_lazily(2, [&] { return g.sum(n.dims); });
}

void give_fused(Gradients& grads, const Tensor& gradient, const Tensor& x, const Tensor& w,
                const BatchNorm& n) {
  const Tensor g = gradient.contiguous(x.suggest_memory_format());
  const Tensor dw = empty_on(n.mean.impl().sizes, n.mean.dtype(), x.device());
  const Tensor db = empty_on(n.mean.impl().sizes, n.mean.dtype(), x.device());
  kernels::batch_norm_sums(dw, db, g, x, n.mean, n.inverse_std);
  grads.set_lazily(0, [&] {
    Tensor dx = result_like(x, x.impl().sizes, x.dtype(), x.device());
    kernels::batch_norm_backward(dx, g, x, n.mean, n.inverse_std, w, dw, db, n.training);
    return dx;
  });
  grads.set_lazily(1, [&] { return dw; });
  grads.set_lazily(2, [&] { return db; });
}

// The statistics to normalise with; in training those of the batch, which move the running ones.
BatchNorm statistics(const Tensor& x, const Tensor& running_mean, const Tensor& running_var,
                     bool training, double momentum, double eps) {
  BatchNorm n{training, eps, {}, {}, {}, Sizes(static_cast<std::size_t>(x.dim()), 1)};
  n.per_channel[1] = x.size(1);
  for (std::int64_t d = 0; d < x.dim(); ++d)
    if (d != 1) n.dims.push_back(d);
  NoGradGuard no_grad;
  const ScalarType type = stat_type(x.dtype());
  if (!training) {
    n.mean = as_type(running_mean, type).contiguous();
    n.inverse_std = (as_type(running_var, type) + eps).rsqrt().contiguous();
    return n;
  }
  n.mean = empty_on({x.size(1)}, type, x.device());
  n.inverse_std = empty_on({x.size(1)}, type, x.device());
  const bool tracks = running_mean.defined();
  Tensor mean = tracks ? as_type(running_mean, type).contiguous() : Tensor();
  Tensor var = tracks ? as_type(running_var, type).contiguous() : Tensor();
  if (tracks) {
    check_inplace("batch_norm", running_mean);
    increment_version(running_mean);
    check_inplace("batch_norm", running_var);
    increment_version(running_var);
  }
  kernels::batch_norm_statistics(n.mean, n.inverse_std, x, mean, var, momentum, eps);
  if (tracks && !mean.is_same(running_mean)) kernels::convert(running_mean, mean);
  if (tracks && !var.is_same(running_var)) kernels::convert(running_var, var);
  return n;
}

Tensor flat_rows(const Tensor& x, std::int64_t n) {
  return x.reshape({n ? x.numel() / n : 0, n}).contiguous();
}

// layer_norm's gradient as recorded operations, over rows.
void give_row_expressions(Gradients& grads, const Tensor& g, const Tensor& x, const Tensor& w,
                          double eps) {
  const Tensor centered = x - x.mean({1}, true);
  const Tensor inverse = (centered.square().mean({1}, true) + eps).rsqrt();
  const Tensor normal = centered * inverse;
  grads.set_lazily(0, [&] {
    const Tensor scaled = w.defined() ? g * w : g;
    return inverse * (scaled - scaled.mean({1}, true) - normal * (scaled * normal).mean({1}, true));
  });
  grads.set_lazily(1, [&] { return (g * normal).sum({0}); });
  grads.set_lazily(2, [&] { return g.sum({0}); });
}

void give_row_fused(Gradients& grads, const Tensor& gradient, const Tensor& x, const Tensor& w,
                    const Tensor& mean, const Tensor& inverse_std) {
  const Tensor g = gradient.contiguous();
  grads.set_lazily(0, [&] {
    Tensor dx = empty_on(x.impl().sizes, x.dtype(), x.device());
    kernels::layer_norm_backward(dx, g, x, mean, inverse_std, w);
    return dx;
  });
  if (!grads.should_compute(1) && !grads.should_compute(2)) return;
  const Tensor dw = empty_on({x.size(1)}, mean.dtype(), x.device());
  const Tensor db = empty_on({x.size(1)}, mean.dtype(), x.device());
  kernels::layer_norm_sums(dw, db, g, x, mean, inverse_std);
  grads.set_lazily(1, [&] { return dw; });
  grads.set_lazily(2, [&] { return db; });
}

// x is [rows, n] and contiguous; w and b are [n] in the type of the statistics, or undefined.
Tensor layer_norm_rows(const Tensor& x, const Tensor& w, const Tensor& b, double eps) {
  Tensor y = empty_on(x.impl().sizes, x.dtype(), x.device());
  const ScalarType type = stat_type(x.dtype());
  const Tensor mean = empty_on({x.size(0)}, type, x.device());
  const Tensor inverse_std = empty_on({x.size(0)}, type, x.device());
  if (x.numel() > 0) kernels::layer_norm(y, mean, inverse_std, x, w, b, eps);
  if (recording(x, w, b))
    record("layer_norm", y, {&x, &w, &b},
           [x = save(x), w = save(w), mean, inverse_std, eps](Gradients& grads, const Tensor& g) {
             const Tensor input = x(), weight = w();
             if (recording(g, input, weight))
               give_row_expressions(grads, g, input, weight, eps);
             else
               give_row_fused(grads, g, input, weight, mean, inverse_std);
           });
  return y;
}

}  // namespace

Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                  const Tensor& running_mean, const Tensor& running_var, bool training,
                  double momentum, double eps) {
  common_device(kBatchNorm, input, weight, bias, running_mean, running_var);
  TD_CHECK(ShapeError, input.dim() >= 2,
           "batch_norm: \"input\" must have sizes [batch, channels, "
           "...] but has ",
           input.sizes());
  TD_CHECK(DtypeError, input.is_floating_point(),
           "batch_norm: \"input\" must be floating point but "
           "is ",
           input.dtype());
  check_channels("weight", weight, input.size(1));
  check_channels("bias", bias, input.size(1));
  check_channels("running_mean", running_mean, input.size(1));
  check_channels("running_var", running_var, input.size(1));
  TD_CHECK(Error, running_mean.defined() == running_var.defined(),
           "batch_norm: give both of \"running_mean\" and \"running_var\" or none");
  TD_CHECK(Error, training || running_mean.defined(),
           "batch_norm: evaluation needs \"running_mean\" and \"running_var\"; train first or pass "
           "training = true");
  const std::int64_t count = input.numel() / std::max<std::int64_t>(1, input.size(1));
  TD_CHECK(ShapeError, !training || count != 1,
           "batch_norm: training needs more than one value per "
           "channel but \"input\" has sizes ",
           input.sizes(), "; use a larger batch");
  const Tensor x = dense(input);
  const ScalarType type = stat_type(x.dtype());
  const Tensor w = weight.defined() ? as_type(weight, type).contiguous() : weight;
  const Tensor b = bias.defined() ? as_type(bias, type).contiguous() : bias;
  Tensor y = result_like(x, x.impl().sizes, x.dtype(), x.device());
  if (x.numel() == 0) return y;
  const BatchNorm n = statistics(x, running_mean, running_var, training, momentum, eps);
  kernels::batch_norm_apply(y, x, n.mean, n.inverse_std, w, b);
  if (recording(x, w, b))
    record("native_batch_norm", y, {&x, &w, &b},
           [x = save(x), w = save(w), n](Gradients& grads, const Tensor& g) {
             const Tensor input = x(), weight = w();
             if (recording(g, input, weight))
               give_expressions(grads, g, input, weight, n);
             else
               give_fused(grads, g, input, weight, n);
           });
  return y;
}

Tensor layer_norm_impl(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
                       const Tensor& bias, double eps) {
  common_device(kLayerNorm, input, weight, bias);
  const Sizes shape(normalized_shape);
  const std::int64_t kept = input.dim() - static_cast<std::int64_t>(shape.size());
  bool fits = kept >= 0 && !shape.empty();
  for (std::size_t d = 0; fits && d < shape.size(); ++d)
    fits = input.sizes()[static_cast<std::size_t>(kept) + d] == shape[d];
  TD_CHECK(ShapeError, fits, "layer_norm: the last sizes of \"input\" must be normalized_shape ",
           normalized_shape, " but \"input\" has sizes ", input.sizes());
  for (const Tensor* t : {&weight, &bias})
    TD_CHECK(ShapeError, !t->defined() || t->impl().sizes == shape, "layer_norm: \"",
             t == &weight ? "weight" : "bias", "\" must have the sizes of normalized_shape, ",
             normalized_shape, ", but has ", t->sizes());
  TD_CHECK(DtypeError, input.is_floating_point(),
           "layer_norm: \"input\" must be floating point but "
           "is ",
           input.dtype());
  const std::int64_t n = numel_of(shape);
  const auto row = [&](const Tensor& t) {
    return t.defined() ? as_type(t, stat_type(input.dtype())).reshape({n}).contiguous() : t;
  };
  return layer_norm_rows(flat_rows(input, n), row(weight), row(bias), eps).view(input.sizes());
}

}  // namespace td
