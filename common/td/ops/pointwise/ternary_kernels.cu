// Kernels of tensor/ternary.def.
#include "td/kernels/kernels.h"
#include "td/kernels/pointwise.h"
#include "td/kernels/scalar_math.h"

namespace td {
namespace {

#define TERNARY(name, types, expression, gradient_a, gradient_b, gradient_c) \
  template <class T>                                                         \
  struct name##_f {                                                          \
    T v;                                                                     \
    TD_HD T operator()(T a, T b, T c) const {                                \
      using namespace scalar_math;                                           \
      return static_cast<T>(expression);                                     \
    }                                                                        \
  };
#include "td/ops/pointwise/ternary.def"
#undef TERNARY

}  // namespace

namespace kernels {

#define TERNARY(op, types, expression, gradient_a, gradient_b, gradient_c)                         \
  void op(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& c, const Scalar& v) { \
    dispatch_##types(#op, out.dtype(), [&](auto type) {                                            \
      using T = typename decltype(type)::type;                                                     \
      using C = compute_t<T>;                                                                      \
      pointwise<T, T, T, T>(#op, op##_f<C>{v.to<C>()}, out, a, b, c);                              \
    });                                                                                            \
  }
#include "td/ops/pointwise/ternary.def"
#undef TERNARY

}  // namespace kernels
}  // namespace td
