// Kernels of tensor/binary_whole.def.
#define TD_KERNEL_FILE
#include "td/kernels/kernels.h"
#include "td/kernels/pointwise.h"
#include "td/kernels/whole_math.h"

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
#include "td/tensor/binary_whole.def"
#undef BINARY

}  // namespace

namespace kernels {

#define BINARY(op, expression, gradient_a, gradient_b)           \
  void op(const Tensor& out, const Tensor& a, const Tensor& b) { \
    dispatch_numbers(#op, out.dtype(), [&](auto type) {          \
      using T = typename decltype(type)::type;                   \
      pointwise<T, T, T>(#op, op##_f{}, out, a, b);              \
    });                                                          \
  }
#include "td/tensor/binary_whole.def"
#undef BINARY

}  // namespace kernels
}  // namespace td
