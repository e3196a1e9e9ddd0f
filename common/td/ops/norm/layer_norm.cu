// Layer normalisation as row programs, and dropout's scaling.
// Source: Ba, Kiros and Hinton, "Layer Normalization", 2016, section 3.
#include <cmath>

#include "td/kernels/kernels.h"
#include "td/kernels/pointwise.h"
#include "td/kernels/rows.h"
#include "td/ops/norm/channels.h"
#include "td/ops/norm/norm.h"

namespace td {
namespace {

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
    const S m =
        row.sum([&](std::int64_t j) { return static_cast<S>(in[j]); }) / static_cast<S>(row.n);
    const S squares = row.sum([&](std::int64_t j) {
      const S d = static_cast<S>(in[j]) - m;
      return d * d;
    });
    const S inverse = S(1) / std::sqrt(squares / static_cast<S>(row.n) + static_cast<S>(eps));
    row.each([&](std::int64_t j) {
      const S normal = (static_cast<S>(in[j]) - m) * inverse;
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

// Gradients of weight and bias: sums over the rows; a column is a channel.
template <class T>
struct LayerNormSums {
  const T *g, *x;
  const compute_t<T>*mean, *inverse_std;
  compute_t<T>*grad_weight, *grad_bias;
  TD_HD void add(std::int64_t at, std::int64_t row, std::int64_t, double& a, double& b) const {
    const compute_t<T> gradient = g[at];
    a += static_cast<double>(gradient * (static_cast<compute_t<T>>(x[at]) - mean[row]) *
                             inverse_std[row]);
    b += static_cast<double>(gradient);
  }
  TD_HD void finish(std::int64_t c, double a, double b) const {
    grad_weight[c] = static_cast<compute_t<T>>(a);
    grad_bias[c] = static_cast<compute_t<T>>(b);
  }
};

template <class S>
struct KeepScaled {
  S scale;
  TD_HD S operator()(S x, bool keep) const { return x * (keep ? scale : S(0)); }
};

}  // namespace

namespace kernels {

void layer_norm(const Tensor& out, const Tensor& mean, const Tensor& inverse_std, const Tensor& x,
                const Tensor& weight, const Tensor& bias, double eps) {
  dispatch_floats("layer_norm", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    using S = compute_t<T>;
    const LayerNorm<T> program{kernel_pointer<const T>(x),
                               kernel_pointer<T>(out),
                               kernel_pointer<S>(mean),
                               kernel_pointer<S>(inverse_std),
                               weight.defined() ? kernel_pointer<const S>(weight) : nullptr,
                               bias.defined() ? kernel_pointer<const S>(bias) : nullptr,
                               eps};
    launch("layer_norm", x.device(), rows_work(program, x.sizes()[0], x.sizes()[1]),
           {&x, &weight, &bias}, {&out, &mean, &inverse_std});
  });
}

void layer_norm_backward(const Tensor& grad_x, const Tensor& g, const Tensor& x, const Tensor& mean,
                         const Tensor& inverse_std, const Tensor& weight) {
  dispatch_floats("layer_norm_backward", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    using S = const compute_t<T>;
    const LayerNormBackward<T> program{
        kernel_pointer<const T>(g),     kernel_pointer<const T>(x),
        kernel_pointer<T>(grad_x),      kernel_pointer<S>(mean),
        kernel_pointer<S>(inverse_std), weight.defined() ? kernel_pointer<S>(weight) : nullptr};
    launch("layer_norm_backward", x.device(), rows_work(program, x.sizes()[0], x.sizes()[1]),
           {&g, &x, &mean, &inverse_std, &weight}, {&grad_x});
  });
}

void layer_norm_sums(const Tensor& grad_weight, const Tensor& grad_bias, const Tensor& g,
                     const Tensor& x, const Tensor& mean, const Tensor& inverse_std) {
  dispatch_floats("layer_norm_backward", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    using S = compute_t<T>;
    const LayerNormSums<T> f{kernel_pointer<const T>(g),     kernel_pointer<const T>(x),
                             kernel_pointer<const S>(mean),  kernel_pointer<const S>(inverse_std),
                             kernel_pointer<S>(grad_weight), kernel_pointer<S>(grad_bias)};
    channel_sums("layer_norm_backward_sums", x.device(), f, {x.sizes()[0], x.sizes()[1], 1},
                 {&g, &x, &mean, &inverse_std}, {&grad_weight, &grad_bias});
  });
}

void dropout(const Tensor& out, const Tensor& x, const Tensor& mask, double scale) {
  dispatch_floats("dropout", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    using S = compute_t<T>;
    pointwise<T, T, bool>("dropout", KeepScaled<S>{static_cast<S>(scale)}, out, x, mask);
  });
}

}  // namespace kernels
}  // namespace td
