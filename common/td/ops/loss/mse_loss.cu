// mse_loss: a fused reduction, with one element-wise pass for its gradient.
#include "td/kernels/pointwise.h"
#include "td/kernels/reduce.h"
#include "td/ops/op.h"

namespace td {
namespace {

constexpr Op mse_op{"mse_loss", {"input", "target"}};

/// A sum over x that also reads the element of `target` with the same index.
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

Tensor mse_gradient(const Tensor& g, const Tensor& a, const Tensor& b, double factor) {
  if (recording(g, a, b)) return (a - b) * g * Scalar(factor);
  Tensor out = result_like(a, a.impl().sizes, a.dtype(), a.device());
  dispatch_floats("mse_loss", a.dtype(), [&]<class T>(CppType<T>) {
    pointwise<T, T, T, T>("mse_loss_backward", DistanceGradient{factor}, out, g, a, b);
  });
  return out;
}

// All elements of a dense tensor in the order of memory.
Tensor line_of(const Tensor& x) { return alias(x, {x.numel()}, {1}, x.storage_offset()); }

// Mean or sum of squares of dense tensors of equal sizes and strides: no tensor of differences is
// made.
Tensor fused_mse(const Tensor& a, const Tensor& b, double factor) {
  Tensor out = empty_on({}, a.dtype(), a.device());
  dispatch_floats("mse_loss", a.dtype(), [&]<class T>(CppType<T>) {
    const SquaredDistance<T> reducer{{factor}, Pointer{b}};
    reduce<T>("mse_loss", reducer, out, line_of(a), ~DimSet{0}, &b);
  });
  if (recording(a, b))
    record("mse_loss", out, {&a, &b},
           [a = save(a), b = save(b), factor](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return mse_gradient(g, a(), b(), 2 * factor); });
             grads.set_lazily(1, [&] { return mse_gradient(g, b(), a(), 2 * factor); });
           });
  return out;
}

}  // namespace

Tensor mse_loss_impl(const Tensor& input, const Tensor& target, Reduction::Reduction reduction) {
  common_device(mse_op, input, target);
  warn_of_broadcast(mse_op, input, target);
  const bool same = input.sizes() == target.sizes() && input.dtype() == target.dtype() &&
                    input.device() == target.device() && input.is_floating_point();
  if (reduction == kNone || !same) {
    const Tensor losses = square(input - target);
    return reduction == kNone ? losses : reduction == kSum ? sum(losses) : mean(losses);
  }
  const double factor = reduction == kMean ? 1.0 / static_cast<double>(input.numel()) : 1.0;
  const bool alike =
      is_dense(input.sizes(), input.strides()) && input.impl().strides == target.impl().strides;
  if (alike) return fused_mse(input, target, factor);
  return fused_mse(input.contiguous(), target.contiguous(), factor);
}

}  // namespace td
