// Batch normalisation: two passes for the statistics (the variance is summed around the mean, so
// that large means lose no digits), one for the result, two for the gradients.
// Source: Ioffe and Szegedy, "Batch Normalization", 2015, section 3.
#include <cmath>

#include "td/kernels/kernels.h"
#include "td/ops/norm/channels.h"
#include "td/ops/norm/norm.h"

namespace td {
namespace {

template <class T>
using Stat = compute_t<T>;

template <class T>
struct Mean {
  const T* x;
  Stat<T>* mean;
  double count;
  TD_HD void add(std::int64_t at, std::int64_t, std::int64_t, double& a, double&) const {
    a += static_cast<double>(static_cast<Stat<T>>(x[at]));
  }
  TD_HD void finish(std::int64_t c, double a, double) const {
    mean[c] = static_cast<Stat<T>>(a / count);
  }
};

template <class T>
struct Variance {
  const T* x;
  const Stat<T>* mean;
  Stat<T>*inverse_std, *running_mean, *running_var;
  double count, momentum, eps;
  TD_HD void add(std::int64_t at, std::int64_t, std::int64_t c, double& a, double&) const {
    const double d =
        static_cast<double>(static_cast<Stat<T>>(x[at])) - static_cast<double>(mean[c]);
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
struct GradientSums {
  const T *g, *x;
  const Stat<T>*mean, *inverse_std;
  Stat<T>*grad_weight, *grad_bias;
  TD_HD void add(std::int64_t at, std::int64_t, std::int64_t c, double& a, double& b) const {
    const Stat<T> gradient = g[at];
    a += static_cast<double>(gradient * (static_cast<Stat<T>>(x[at]) - mean[c]));
    b += static_cast<double>(gradient);
  }
  TD_HD void finish(std::int64_t c, double a, double b) const {
    grad_weight[c] = static_cast<Stat<T>>(a * static_cast<double>(inverse_std[c]));
    grad_bias[c] = static_cast<Stat<T>>(b);
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

template <class T>
T* optional_pointer(const Tensor& t) {
  return t.defined() ? kernel_pointer<T>(t) : nullptr;
}

}  // namespace

namespace kernels {

void batch_norm_statistics(const Tensor& mean, const Tensor& inverse_std, const Tensor& x,
                           const Tensor& running_mean, const Tensor& running_var, double momentum,
                           double eps) {
  const Channels s = channels_of(x);
  const auto count = static_cast<double>(s.per_channel());
  dispatch_floats("batch_norm", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    using S = Stat<T>;
    const Mean<T> first{kernel_pointer<const T>(x), kernel_pointer<S>(mean), count};
    channel_sums("batch_norm_mean", x.device(), first, s, {&x}, {&mean});
    const Variance<T> second{first.x,
                             first.mean,
                             kernel_pointer<S>(inverse_std),
                             optional_pointer<S>(running_mean),
                             optional_pointer<S>(running_var),
                             count,
                             momentum,
                             eps};
    if (running_mean.defined())
      channel_sums("batch_norm_variance", x.device(), second, s, {&x, &mean},
                   {&inverse_std, &running_mean, &running_var});
    else
      channel_sums("batch_norm_variance", x.device(), second, s, {&x, &mean}, {&inverse_std});
  });
}

void batch_norm_apply(const Tensor& out, const Tensor& x, const Tensor& mean,
                      const Tensor& inverse_std, const Tensor& weight, const Tensor& bias) {
  dispatch_floats("batch_norm", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    using S = const Stat<T>;
    const Normalize<T> f{kernel_pointer<const T>(x), kernel_pointer<S>(mean),
                         kernel_pointer<S>(inverse_std), optional_pointer<S>(weight),
                         optional_pointer<S>(bias)};
    channel_each<T>("batch_norm", out, f, channels_of(x),
                    {&x, &mean, &inverse_std, &weight, &bias});
  });
}

void batch_norm_sums(const Tensor& grad_weight, const Tensor& grad_bias, const Tensor& g,
                     const Tensor& x, const Tensor& mean, const Tensor& inverse_std) {
  dispatch_floats("batch_norm_backward", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    using S = Stat<T>;
    const GradientSums<T> f{kernel_pointer<const T>(g),     kernel_pointer<const T>(x),
                            kernel_pointer<const S>(mean),  kernel_pointer<const S>(inverse_std),
                            kernel_pointer<S>(grad_weight), kernel_pointer<S>(grad_bias)};
    channel_sums("batch_norm_backward_sums", x.device(), f, channels_of(x),
                 {&g, &x, &mean, &inverse_std}, {&grad_weight, &grad_bias});
  });
}

void batch_norm_backward(const Tensor& grad_x, const Tensor& g, const Tensor& x, const Tensor& mean,
                         const Tensor& inverse_std, const Tensor& weight, const Tensor& grad_weight,
                         const Tensor& grad_bias, bool training) {
  const Channels s = channels_of(x);
  dispatch_floats("batch_norm_backward", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    using S = Stat<T>;
    const InputGradient<T> f{
        kernel_pointer<const T>(g),
        kernel_pointer<const T>(x),
        kernel_pointer<const S>(mean),
        kernel_pointer<const S>(inverse_std),
        optional_pointer<const S>(weight),
        kernel_pointer<const S>(grad_weight),
        kernel_pointer<const S>(grad_bias),
        training ? static_cast<S>(1 / static_cast<double>(s.per_channel())) : S(0)};
    channel_each<T>("batch_norm_backward", grad_x, f, s,
                    {&g, &x, &mean, &inverse_std, &weight, &grad_weight, &grad_bias});
  });
}

}  // namespace kernels
}  // namespace td
