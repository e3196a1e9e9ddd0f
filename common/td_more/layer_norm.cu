// Layer normalization as row programs; gradients of weight and bias are sums by channel. The
// gradient has a second form, of recorded operations, for when it must itself be differentiable.
// Source: Ba, Kiros and Hinton, "Layer Normalization", 2016, section 3.
#include <cmath>

#include "td/kernels/rows.h"
#include "td/ops/norm/channels.h"
#include "td/ops/op.h"
#include "td_more/functions.h"

namespace td {
namespace {

constexpr Op kLayerNorm{"layer_norm", {"input", "weight", "bias"}, 1};

template <class T>
struct LayerNorm {
  const T* x;
  T* out;
  compute_t<T>*mean, *inverse_std;
  const compute_t<T>*weight, *bias;
  double eps;

  template <class Row>
  TD_HD void operator()(Row row, std::int64_t i) const {
    using S = compute_t<T>;
    const T* in = x + i * row.n;
    T* to = out + i * row.n;
    const auto values = row.read([&](std::int64_t j) { return static_cast<S>(in[j]); });
    const S m = row.sum(values) / static_cast<S>(row.n);
    const S squares = row.sum(values, [&](S x) { return (x - m) * (x - m); });
    const S inverse = S(1) / std::sqrt(squares / static_cast<S>(row.n) + static_cast<S>(eps));
    row.each(values, [&](std::int64_t j, S x) {
      const S normal = (x - m) * inverse;
      to[j] = static_cast<T>((weight ? normal * weight[j] : normal) + (bias ? bias[j] : S(0)));
    });
    if (row.leader) {
      mean[i] = m;
      inverse_std[i] = inverse;
    }
  }
};

template <class T>
struct LayerNormBackward {
  const T *g, *x;
  T* grad_x;
  const compute_t<T>*mean, *inverse_std, *weight;

  template <class Row>
  TD_HD void operator()(Row row, std::int64_t i) const {
    using S = compute_t<T>;
    const T *in = x + i * row.n, *gradient = g + i * row.n;
    T* to = grad_x + i * row.n;
    const S m = mean[i], inverse = inverse_std[i];
    const auto weighted = [&](std::int64_t j) {
      const S value = gradient[j];
      return weight ? value * weight[j] : value;
    };
    const auto normal = [&](std::int64_t j) { return (static_cast<S>(in[j]) - m) * inverse; };
    const S a = row.sum(weighted) / static_cast<S>(row.n);
    const S b =
        row.sum([&](std::int64_t j) { return weighted(j) * normal(j); }) / static_cast<S>(row.n);
    row.each([&](std::int64_t j) {
      to[j] = static_cast<T>(inverse * (weighted(j) - a - normal(j) * b));
    });
  }
};

void give_fused(Gradients& grads, const Tensor& gradient, const Tensor& x, const Tensor& w,
                const Tensor& mean, const Tensor& inverse_std) {
  const Tensor g = gradient.contiguous();
  grads.set_lazily(0, [&] {
    Tensor dx = empty_on(x.impl().sizes, x.dtype(), x.device());
    dispatch_floats("layer_norm_backward", x.dtype(), [&]<class T>(CppType<T>) {
      const LayerNormBackward<T> program{Pointer{g},    Pointer{x},           Pointer{dx},
                                         Pointer{mean}, Pointer{inverse_std}, Pointer{w}};
      launch("layer_norm_backward", x.device(), rows_work(program, row_shape(x.sizes(), 1)),
             {&g, &x, &mean, &inverse_std, &w}, {&dx});
    });
    return dx;
  });
  if (!grads.should_compute(1) && !grads.should_compute(2)) return;
  const Tensor dw = empty_on({x.size(1)}, mean.dtype(), x.device());
  const Tensor db = empty_on({x.size(1)}, mean.dtype(), x.device());
  dispatch_floats("layer_norm_backward", x.dtype(), [&]<class T>(CppType<T>) {
    const GradientSums<T, true> f{Pointer{g},           Pointer{x},  Pointer{mean},
                                  Pointer{inverse_std}, Pointer{dw}, Pointer{db}};
    channel_sums("layer_norm_backward_sums", x.device(), f, {x.size(0), x.size(1), 1},
                 {&g, &x, &mean, &inverse_std}, {&dw, &db});
  });
  grads.set_lazily(1, [&] { return dw; });
  grads.set_lazily(2, [&] { return db; });
}

// x is [rows, n] and contiguous; w and b are [n] in the type of the statistics, or undefined.
Tensor layer_norm_rows(const Tensor& x, const Tensor& w, const Tensor& b, double eps) {
  Tensor y = empty_on(x.impl().sizes, x.dtype(), x.device());
  const ScalarType type = stat_type(x.dtype());
  const Tensor mean = empty_on({x.size(0)}, type, x.device());
  const Tensor inverse_std = empty_on({x.size(0)}, type, x.device());
  if (x.numel() > 0)
    dispatch_floats("layer_norm", x.dtype(), [&]<class T>(CppType<T>) {
      const LayerNorm<T> program{
          Pointer{x}, Pointer{y}, Pointer{mean}, Pointer{inverse_std}, Pointer{w}, Pointer{b}, eps};
      launch("layer_norm", x.device(), rows_work(program, row_shape(x.sizes(), 1)), {&x, &w, &b},
             {&y, &mean, &inverse_std});
    });
  if (recording(x, w, b))
    record("layer_norm", y, {&x, &w, &b},
           [x = save(x), w = save(w), mean, inverse_std, eps](Gradients& grads, const Tensor& g) {
             const Tensor input = x(), weight = w();
             if (recording(g, input, weight))
               give_expressions(grads, g, input, weight, {1}, {0}, eps);
             else
               give_fused(grads, g, input, weight, mean, inverse_std);
           });
  return y;
}

}  // namespace

Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
                  const Tensor& bias, double eps) {
  if (autocast::active()) [[unlikely]]
    return autocast::run(autocast::rule("layer_norm"), layer_norm, input, normalized_shape, weight,
                         bias, eps);
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
           "layer_norm: \"input\" must be floating point but is ", input.dtype());
  const std::int64_t n = numel_of(shape);
  const auto row = [&](const Tensor& t) {
    return t.defined() ? as_type(t, stat_type(input.dtype())).reshape({n}).contiguous() : t;
  };
  const Tensor x = input.reshape({n ? input.numel() / n : 0, n}).contiguous();
  return layer_norm_rows(x, row(weight), row(bias), eps).view(input.sizes());
}

}  // namespace td
