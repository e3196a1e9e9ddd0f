// Kernels that move values about: fill, convert (copy with another type or layout), where.
#include "td/kernels/kernels.h"
#include "td/kernels/pointwise.h"

namespace td {
namespace {

template <class T>
struct Constant {
  T value;
  TD_HD T operator()() const { return value; }
};
struct Identity {
  template <class T>
  TD_HD T operator()(T x) const {
    return x;
  }
};
struct Where {
  template <class T>
  TD_HD T operator()(bool condition, T a, T b) const {
    return condition ? a : b;
  }
};

}  // namespace

namespace kernels {

void fill(const Tensor& out, const Scalar& value) {
  dispatch_all(out.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    pointwise<T>("fill", Constant<T>{value.to<T>()}, out);
  });
}

void convert(const Tensor& out, const Tensor& x) {
  dispatch_all(out.dtype(), [&](auto to) {
    dispatch_all(x.dtype(), [&](auto from) {
      using To = typename decltype(to)::type;
      using From = typename decltype(from)::type;
      pointwise<To, From>("convert", Identity{}, out, x);
    });
  });
}

void where(const Tensor& out, const Tensor& condition, const Tensor& a, const Tensor& b) {
  dispatch_all(out.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    pointwise<T, bool, T, T>("where", Where{}, out, condition, a, b);
  });
}

}  // namespace kernels
}  // namespace td
