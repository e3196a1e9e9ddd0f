// Kernels of norm (orders 1, 2 and infinity), var and std.
#include "td/kernels/kernels.h"
#include "td/kernels/reduce.h"
#include "td/kernels/reducers.h"

namespace td {
namespace {

/// Mean and sum of squared distances from it, of `count` elements.
struct Moments {
  double mean, squares, count;
};

/// Welford's update within a lane, Chan's formula between lanes: one pass, no cancellation.
template <class T>
struct Variance {
  using Lane = Moments;
  using Total = Moments;
  using Out = T;
  double correction;
  bool root;
  TD_HD Lane start() const { return {0, 0, 0}; }
  TD_HD void add(Lane& lane, compute_t<T> x, std::int64_t) const {
    const double delta = static_cast<double>(x) - lane.mean;
    lane.count += 1;
    lane.mean += delta / lane.count;
    lane.squares += delta * (static_cast<double>(x) - lane.mean);
  }
  TD_HD Total none() const { return start(); }
  TD_HD Total total(const Lane& lane) const { return lane; }
  TD_HD Total merge(const Total& a, const Total& b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const double count = a.count + b.count, delta = b.mean - a.mean;
    return {a.mean + delta * b.count / count,
            a.squares + b.squares + delta * delta * a.count * b.count / count, count};
  }
  TD_HD Out finish(const Total& t) const {
    // 0/0 is NaN on purpose: the variance of one element with correction does not exist.
    const double divisor = t.count - correction;
    const double variance = t.squares / (divisor > 0 ? divisor : 0.0);
    return static_cast<Out>(static_cast<compute_t<T>>(root ? sqrt(variance) : variance));
  }
};

}  // namespace

namespace kernels {

void norm1(const Tensor& out, const Tensor& x, DimSet dims) {
  dispatch_floats("norm", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    reduce<T>("norm", Sum<T, T, Magnitude>{{1.0}}, out, x, dims);
  });
}

void norm2(const Tensor& out, const Tensor& x, DimSet dims) {
  dispatch_floats("norm", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    reduce<T>("norm", Sum<T, T, Squared, Root>{}, out, x, dims);
  });
}

void norm_infinity(const Tensor& out, const Tensor& x, DimSet dims) {
  dispatch_floats("norm", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    reduce<T>("norm", Extreme<T, true, Magnitude>{}, out, x, dims);
  });
}

void var(const Tensor& out, const Tensor& x, DimSet dims, double correction, bool root) {
  dispatch_floats("var", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    reduce<T>("var", Variance<T>{correction, root}, out, x, dims);
  });
}

}  // namespace kernels
}  // namespace td
