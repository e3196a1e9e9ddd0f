// Kernels of ops/pointwise/binary.def, and addition with a factor.
#define TD_BINARY_LIST "td/ops/pointwise/binary.def"
#include "td/ops/pointwise/binary_kernels.inc"

namespace td {
namespace {

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
