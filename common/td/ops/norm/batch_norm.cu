// Batch normalization: two passes for the statistics (the variance is summed around the mean, so
// that large means lose no digits), one for the result, two for the gradients. The gradient has a
// second form, of recorded operations, for when it must itself be differentiable. Source: Ioffe and
// Szegedy, "Batch Normalization", 2015, section 3.
#include <cmath>

#include "td/ops/norm/channels.h"
#include "td/ops/op.h"

namespace td {
namespace {

constexpr Op kBatchNorm{
    "batch_norm", {"input", "weight", "bias", "running_mean", "running_var"}, 1};

// What the gradient needs, whether computed by kernels or by expressions.
struct BatchNorm {
  bool training;
  double eps;
  Tensor mean, inverse_std;  ///< [c], of the batch or the running ones
  Sizes dims, per_channel;   ///< all dimensions but 1; [1, c, 1, ...]
};

template <class T>
struct Mean {
  using Lane = Stat<T>;
  const T* x;
  Stat<T>* mean;
  double count;
  template <class A>
  TD_HD void add(std::int64_t at, std::int64_t, std::int64_t, A& a, A&) const {
    a += static_cast<A>(static_cast<Stat<T>>(x[at]));
  }
  TD_HD void finish(std::int64_t c, double a, double) const {
    mean[c] = static_cast<Stat<T>>(a / count);
  }
};

template <class T>
struct Variance {
  using Lane = Stat<T>;
  const T* x;
  const Stat<T>* mean;
  Stat<T>*inverse_std, *running_mean, *running_var;
  double count, momentum, eps;
  template <class A>
  TD_HD void add(std::int64_t at, std::int64_t, std::int64_t c, A& a, A&) const {
    const A d = static_cast<A>(static_cast<Stat<T>>(x[at])) - static_cast<A>(mean[c]);
    a += d * d;
  }
  TD_HD void finish(std::int64_t c, double a, double) const {
    inverse_std[c] = static_cast<Stat<T>>(1 / std::sqrt(a / count + eps));
    if (!running_mean) return;
    running_mean[c] += static_cast<Stat<T>>(momentum * (mean[c] - running_mean[c]));
    running_var[c] += static_cast<Stat<T>>(momentum * (a / (count - 1) - running_var[c]));
  }
};

template <class T>
struct Normalize {
  const T* x;
  const Stat<T>*mean, *inverse_std, *weight, *bias;
  TD_HD T operator()(std::int64_t at, std::int64_t c) const {
    const Stat<T> scale = weight ? weight[c] * inverse_std[c] : inverse_std[c];
    const Stat<T> shift = bias ? bias[c] : Stat<T>(0);
    return static_cast<T>((static_cast<Stat<T>>(x[at]) - mean[c]) * scale + shift);
  }
};

template <class T>
struct InputGradient {
  const T *g, *x;
  const Stat<T>*mean, *inverse_std, *weight, *grad_weight, *grad_bias;
  Stat<T> inverse_count;  // 0 when the statistics are constants
  TD_HD T operator()(std::int64_t at, std::int64_t c) const {
    const Stat<T> scale = weight ? weight[c] * inverse_std[c] : inverse_std[c];
    const Stat<T> normal = (static_cast<Stat<T>>(x[at]) - mean[c]) * inverse_std[c];
    const Stat<T> through_mean = grad_bias[c] * inverse_count;
    const Stat<T> through_variance = normal * (grad_weight[c] * inverse_count);
    return static_cast<T>(scale * (static_cast<Stat<T>>(g[at]) - through_mean - through_variance));
  }
};

// mean and inverse_std = 1 / sqrt(variance + eps) of the batch, the variance divided by the count.
// The running ones, when defined, move towards the mean and the unbiased variance: r += momentum *
// (new - r).
void statistics_kernels(const BatchNorm& n, const Tensor& x, const Tensor& running_mean,
                        const Tensor& running_var, double momentum) {
  const Channels s = channels_of(x);
  const auto count = static_cast<double>(s.per_channel());
  dispatch_floats("batch_norm", x.dtype(), [&]<class T>(CppType<T>) {
    const Mean<T> first{Pointer{x}, Pointer{n.mean}, count};
    channel_sums("batch_norm_mean", x.device(), first, s, {&x}, {&n.mean});
    const Variance<T> second{first.x,
                             first.mean,
                             Pointer{n.inverse_std},
                             Pointer{running_mean},
                             Pointer{running_var},
                             count,
                             momentum,
                             n.eps};
    channel_sums("batch_norm_variance", x.device(), second, s, {&x, &n.mean},
                 {&n.inverse_std, &running_mean, &running_var});
  });
}

// out = (x - mean) * inverse_std * weight + bias; out has x's memory format.
void apply_kernel(const Tensor& out, const Tensor& x, const BatchNorm& n, const Tensor& weight,
                  const Tensor& bias) {
  dispatch_floats("batch_norm", x.dtype(), [&]<class T>(CppType<T>) {
    const Normalize<T> f{Pointer{x}, Pointer{n.mean}, Pointer{n.inverse_std}, Pointer{weight},
                         Pointer{bias}};
    channel_each<T>("batch_norm", out, f, channels_of(x),
                    {&x, &n.mean, &n.inverse_std, &weight, &bias});
  });
}

// The gradient of x follows from those of weight and bias; in training the statistics themselves
// depend on x.
void give_fused(Gradients& grads, const Tensor& gradient, const Tensor& x, const Tensor& w,
                const BatchNorm& n) {
  const Tensor g = gradient.contiguous(x.suggest_memory_format());
  const Tensor dw = empty_on(n.mean.impl().sizes, n.mean.dtype(), x.device());
  const Tensor db = empty_on(n.mean.impl().sizes, n.mean.dtype(), x.device());
  const Channels s = channels_of(x);
  dispatch_floats("batch_norm_backward", x.dtype(), [&]<class T>(CppType<T>) {
    const GradientSums<T, false> f{Pointer{g},  Pointer{x}, Pointer{n.mean}, Pointer{n.inverse_std},
                                   Pointer{dw}, Pointer{db}};
    channel_sums("batch_norm_backward_sums", x.device(), f, s, {&g, &x, &n.mean, &n.inverse_std},
                 {&dw, &db});
  });
  grads.set_lazily(0, [&] {
    Tensor dx = result_like(x, x.impl().sizes, x.dtype(), x.device());
    dispatch_floats("batch_norm_backward", x.dtype(), [&]<class T>(CppType<T>) {
      const auto inverse_count =
          n.training ? static_cast<Stat<T>>(1 / static_cast<double>(s.per_channel())) : Stat<T>(0);
      const InputGradient<T> f{Pointer{g}, Pointer{x},  Pointer{n.mean}, Pointer{n.inverse_std},
                               Pointer{w}, Pointer{dw}, Pointer{db},     inverse_count};
      channel_each<T>("batch_norm_backward", dx, f, s,
                      {&g, &x, &n.mean, &n.inverse_std, &w, &dw, &db});
    });
    return dx;
  });
  grads.set_lazily(1, [&] { return dw; });
  grads.set_lazily(2, [&] { return db; });
}

// The gradient as recorded operations.
void give_recorded(Gradients& grads, const Tensor& g, const Tensor& x, const Tensor& weight,
                   const BatchNorm& n) {
  const Tensor w = weight.defined() ? weight.view(n.per_channel) : weight;
  if (n.training) return give_expressions(grads, g, x, w, n.dims, n.dims, n.eps);
  const Tensor inverse = n.inverse_std.view(n.per_channel);
  grads.set_lazily(0, [&] { return (w.defined() ? g * w : g) * inverse; });
  grads.set_lazily(1, [&] { return (g * (x - n.mean.view(n.per_channel)) * inverse).sum(n.dims); });
  grads.set_lazily(2, [&] { return g.sum(n.dims); });
}

// The statistics to normalize with; in training those of the batch, which move the running ones.
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
    begin_inplace("batch_norm", running_mean);
    begin_inplace("batch_norm", running_var);
  }
  statistics_kernels(n, x, mean, var, momentum);
  if (tracks && !mean.is_same(running_mean)) kernels::convert(running_mean, mean);
  if (tracks && !var.is_same(running_var)) kernels::convert(running_var, var);
  return n;
}

void check_channels(const char* name, const Tensor& t, std::int64_t channels) {
  TD_CHECK(ShapeError, !t.defined() || (t.dim() == 1 && t.size(0) == channels), "batch_norm: \"",
           name, "\" must have sizes [", channels,
           "], one number per channel of \"input\", but has ", t.sizes());
  TD_CHECK(DtypeError, !t.defined() || t.is_floating_point(), "batch_norm: \"", name,
           "\" must be floating point but is ", t.dtype());
}

}  // namespace

Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                  const Tensor& running_mean, const Tensor& running_var, bool training,
                  double momentum, double eps) {
  common_device(kBatchNorm, input, weight, bias, running_mean, running_var);
  TD_CHECK(ShapeError, input.dim() >= 2,
           "batch_norm: \"input\" must have sizes [batch, channels, ...] but has ", input.sizes());
  TD_CHECK(DtypeError, input.is_floating_point(),
           "batch_norm: \"input\" must be floating point but is ", input.dtype());
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
           "batch_norm: training needs more than one value per channel but \"input\" has sizes ",
           input.sizes(), "; use a larger batch");
  const Tensor x = input.contiguous(input.suggest_memory_format());
  const ScalarType type = stat_type(x.dtype());
  const Tensor w = weight.defined() ? as_type(weight, type).contiguous() : weight;
  const Tensor b = bias.defined() ? as_type(bias, type).contiguous() : bias;
  Tensor y = result_like(x, x.impl().sizes, x.dtype(), x.device());
  if (x.numel() == 0) {
    if (recording(x, w, b))
      record("native_batch_norm", y, {&x, &w, &b},
             [channels = x.size(1), type](Gradients& grads, const Tensor& g) {
               const auto none = [&] { return zeros({channels}, g.options().dtype(type)); };
               grads[0] = g;
               grads.set_lazily(1, none);
               grads.set_lazily(2, none);
             });
    return y;
  }
  const BatchNorm n = statistics(x, running_mean, running_var, training, momentum, eps);
  apply_kernel(y, x, n, w, b);
  if (recording(x, w, b))
    record("native_batch_norm", y, {&x, &w, &b},
           [x = save(x), w = save(w), n](Gradients& grads, const Tensor& g) {
             const Tensor input = x(), weight = w();
             if (recording(g, input, weight))
               give_recorded(grads, g, input, weight, n);
             else
               give_fused(grads, g, input, weight, n);
           });
  return y;
}

}  // namespace td
