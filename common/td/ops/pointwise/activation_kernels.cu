// Kernels of tensor/activation.def.
#include "td/kernels/kernels.h"
#include "td/kernels/pointwise.h"
#include "td/kernels/scalar_math.h"

namespace td {
namespace {

#define ACTIVATION(name, forward, gradient) \
  template <class T>                        \
  struct name##_forward {                   \
    T p, q;                                 \
    TD_HD T operator()(T x) const {         \
      using namespace scalar_math;          \
      return static_cast<T>(forward);       \
    }                                       \
  };                                        \
  template <class T>                        \
  struct name##_gradient {                  \
    T p, q;                                 \
    TD_HD T operator()(T g, T x) const {    \
      using namespace scalar_math;          \
      return static_cast<T>(gradient);      \
    }                                       \
  };
#include "td/ops/pointwise/activation.def"
#undef ACTIVATION

}  // namespace

namespace kernels {

#define ACTIVATION(op, forward, gradient)                                                         \
  void op(const Tensor& out, const Tensor& x, double p, double q) {                               \
    dispatch_floats(#op, x.dtype(), [&](auto type) {                                              \
      using T = typename decltype(type)::type;                                                    \
      using C = compute_t<T>;                                                                     \
      pointwise<T, T>(#op, op##_forward<C>{static_cast<C>(p), static_cast<C>(q)}, out, x);        \
    });                                                                                           \
  }                                                                                               \
  void op##_backward(const Tensor& out, const Tensor& g, const Tensor& x, double p, double q) {   \
    dispatch_floats(#op, g.dtype(), [&](auto type) {                                              \
      using T = typename decltype(type)::type;                                                    \
      using C = compute_t<T>;                                                                     \
      pointwise<T, T, T>(#op "_backward", op##_gradient<C>{static_cast<C>(p), static_cast<C>(q)}, \
                         out, g, x);                                                              \
    });                                                                                           \
  }
#include "td/ops/pointwise/activation.def"
#undef ACTIVATION

}  // namespace kernels
}  // namespace td
