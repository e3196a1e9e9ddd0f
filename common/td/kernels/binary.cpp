// Kernels of tensor/binary.def, and addition with a factor.
#define TD_KERNEL_FILE
#include "td/kernels/kernels.h"
#include "td/kernels/pointwise.h"
#include "td/kernels/scalar_math.h"

namespace td {
namespace {

#define BINARY(name, expression, gradient_a, gradient_b) \
  struct name##_f {                                      \
    template <class T>                                   \
    TD_HD T operator()(T a, T b) const {                 \
      using namespace scalar_math;                       \
      return static_cast<T>(expression);                 \
    }                                                    \
  };
#include "td/tensor/binary.def"
#undef BINARY

struct Add {
  template <class T>
  TD_HD T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
template <class A>
struct AddScaled {
  A alpha;
  template <class T>
  TD_HD T operator()(T a, T b) const {
    return static_cast<T>(a + static_cast<T>(alpha) * b);
  }
};

}  // namespace

namespace kernels {

#define BINARY(op, expression, gradient_a, gradient_b)           \
  void op(const Tensor& out, const Tensor& a, const Tensor& b) { \
    dispatch_numbers(#op, out.dtype(), [&](auto type) {          \
      using T = typename decltype(type)::type;                   \
      pointwise<T, T, T>(#op, op##_f{}, out, a, b);              \
    });                                                          \
  }
#include "td/tensor/binary.def"
#undef BINARY

void add(const Tensor& out, const Tensor& a, const Tensor& b, const Scalar& alpha) {
  if (alpha.to<double>() == 1.0) {
    dispatch_all(out.dtype(), [&](auto type) {
      using T = typename decltype(type)::type;
      pointwise<T, T, T>("add", Add{}, out, a, b);
    });
  } else {
    dispatch_numbers("add", out.dtype(), [&](auto type) {
      using T = typename decltype(type)::type;
      pointwise<T, T, T>("add", AddScaled<compute_t<T>>{alpha.to<compute_t<T>>()}, out, a, b);
    });
  }
}

}  // namespace kernels
}  // namespace td
