// Kernels of the operators & and | on whole numbers: bit by bit.
#include "td/kernels/kernels.h"
#include "td/kernels/pointwise.h"

namespace td {
namespace {

struct BitAnd {
  template <class T>
  TD_HD T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <class T>
  TD_HD T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct BitNot {
  template <class T>
  TD_HD T operator()(T x) const {
    return static_cast<T>(~x);
  }
};

template <class F>
void dispatch_whole(const char* op, ScalarType type, F&& f) {
  switch (type) {
    case kByte:
      return f(CppType<std::uint8_t>{});
    case kInt:
      return f(CppType<std::int32_t>{});
    case kLong:
      return f(CppType<std::int64_t>{});
    default:
      fail<DtypeError>(op, ": expected bool tensors or whole numbers but got ", type,
                       "; make one with a comparison such as x > 0");
  }
}

template <class F>
void combine(const char* op, const Tensor& out, const Tensor& a, const Tensor& b) {
  dispatch_whole(op, out.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    pointwise<T, T, T>(op, F{}, out, a, b);
  });
}

}  // namespace

namespace kernels {

void bitwise_and(const Tensor& out, const Tensor& a, const Tensor& b) {
  combine<BitAnd>("operator&", out, a, b);
}
void bitwise_or(const Tensor& out, const Tensor& a, const Tensor& b) {
  combine<BitOr>("operator|", out, a, b);
}
void bitwise_not(const Tensor& out, const Tensor& x) {
  dispatch_whole("operator~", out.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    pointwise<T, T>("operator~", BitNot{}, out, x);
  });
}

}  // namespace kernels
}  // namespace td
