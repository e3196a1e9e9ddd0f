// Kernels of mse_loss: the squared distance as one reduction, its gradient as one element-wise
// pass.
#include "td/kernels/kernels.h"
#include "td/kernels/pointwise.h"
#include "td/kernels/reduce.h"
#include "td/kernels/reducers.h"

namespace td {
namespace {

/// A sum over x that also looks at the element of `target` with the same number.
template <class T>
struct SquaredDistance : Sum<T, T> {
  using ByIndex = void;
  const T* target;
  TD_HD void add(compute_t<T>& lane, compute_t<T> x, std::int64_t index) const {
    const compute_t<T> d = x - static_cast<compute_t<T>>(target[index]);
    lane += d * d;
  }
};

struct DistanceGradient {
  double factor;
  template <class C>
  TD_HD C operator()(C g, C x, C target) const {
    return g * static_cast<C>(factor) * (x - target);
  }
};

}  // namespace

namespace kernels {

void mse_total(const Tensor& out, const Tensor& input, const Tensor& target, double factor) {
  dispatch_floats("mse_loss", input.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const SquaredDistance<T> reducer{{{factor}}, kernel_pointer<const T>(target)};
    reduce<T>("mse_loss", reducer, out, input, ~DimSet{0}, &target);
  });
}

void mse_backward(const Tensor& out, const Tensor& g, const Tensor& input, const Tensor& target,
                  double factor) {
  dispatch_floats("mse_loss", input.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    pointwise<T, T, T, T>("mse_loss_backward", DistanceGradient{factor}, out, g, input, target);
  });
}

}  // namespace kernels
}  // namespace td
