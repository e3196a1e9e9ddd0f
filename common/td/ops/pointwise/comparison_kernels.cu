// Kernels of ops/pointwise/comparison.def: two tensors of one type in, bool out.
#include "td/kernels/kernels.h"
#include "td/kernels/pointwise.h"

namespace td {
namespace {

#define COMPARISON(name, expression)        \
  struct name##_f {                         \
    template <class T>                      \
    TD_HD bool operator()(T a, T b) const { \
      return expression;                    \
    }                                       \
  };
#include "td/ops/pointwise/comparison.def"
#undef COMPARISON

}  // namespace

namespace kernels {

#define COMPARISON(op, expression)                               \
  void op(const Tensor& out, const Tensor& a, const Tensor& b) { \
    dispatch_all(a.dtype(), [&](auto type) {                     \
      using T = typename decltype(type)::type;                   \
      pointwise<bool, T, T>(#op, op##_f{}, out, a, b);           \
    });                                                          \
  }
#include "td/ops/pointwise/comparison.def"
#undef COMPARISON

}  // namespace kernels
}  // namespace td
