// Comparisons (one body for all lines of comparison.def: two tensors of one type in, bool out) and
// the choice by a condition.
#include "td/kernels/pointwise.h"
#include "td/ops/pointwise/binary.h"

namespace td {
namespace {

using Kernel = void (*)(const Tensor& out, const Tensor& a, const Tensor& b);

#define COMPARISON(name, expression)                                        \
  struct name##_f {                                                         \
    template <class T>                                                      \
    TD_HD bool operator()(T a, T b) const {                                 \
      return expression;                                                    \
    }                                                                       \
  };                                                                        \
  void name##_kernel(const Tensor& out, const Tensor& a, const Tensor& b) { \
    dispatch_all(a.dtype(), [&]<class T>(CppType<T>) {                      \
      pointwise<bool, T, T>(#name, name##_f{}, out, a, b);                  \
    });                                                                     \
  }                                                                         \
  constexpr Op name##_op{#name, {"input", "other"}};
#include "td/ops/pointwise/comparison.def"
#undef COMPARISON

Tensor compare(const Op& op, Kernel kernel, const Tensor& a, const Tensor& b) {
  const Device device = common_device(op, a, b);
  if (!b.defined()) undefined_argument(op, 1);
  const ScalarType type = result_type(a, b);
  Tensor out = result_like(a, b, broadcast_sizes(op.name, a.sizes(), b.sizes()), kBool, device);
  kernel(out, as_type(a.detach(), type), as_type(b.detach(), type));
  return out;
}

constexpr Op kWhere{"where", {"condition", "input", "other"}};

}  // namespace

// 3 == 3.5 must not round 3.5: a number with a fraction brings its own type.
#define COMPARISON(name, expression)                        \
  Tensor name(const Tensor& input, const Tensor& other) {   \
    return compare(name##_op, name##_kernel, input, other); \
  }                                                         \
  Tensor name(const Tensor& input, const Scalar& other) {   \
    return name(input, wrapped_number(other));              \
  }
#include "td/ops/pointwise/comparison.def"
#undef COMPARISON

void kernels::logical_and(const Tensor& out, const Tensor& a, const Tensor& b) {
  logical_and_kernel(out, a, b);
}
void kernels::logical_or(const Tensor& out, const Tensor& a, const Tensor& b) {
  logical_or_kernel(out, a, b);
}

Tensor where(const Tensor& condition, const Tensor& input, const Tensor& other) {
  const Device device = common_device(kWhere, condition, input, other);
  if (condition.dtype() == kByte) return where(condition.ne(Scalar(0)), input, other);
  TD_CHECK(DtypeError, condition.dtype() == kBool, "where: \"condition\" must be bool but is ",
           condition.dtype(), "; make it with a comparison such as x > 0");
  const ScalarType type = result_type(input, other);
  const Sizes sizes = broadcast_sizes("where", condition.sizes(),
                                      broadcast_sizes("where", input.sizes(), other.sizes()));
  const Tensor a = as_type(input, type), b = as_type(other, type);
  Tensor out = result_like(a, sizes, type, device);
  kernels::where(out, condition, a, b);
  if (recording(a, b))
    record("where", out, {&a, &b},
           [c = condition, sa = a.impl().sizes, sb = b.impl().sizes](Gradients& grads,
                                                                     const Tensor& g) {
             grads.set_lazily(0, [&] { return sum_to(where(c, g, Scalar(0)), sa); });
             grads.set_lazily(1, [&] { return sum_to(where(c, Scalar(0), g), sb); });
           });
  return out;
}

Tensor where(const Tensor& condition, const Scalar& input, const Tensor& other) {
  return where(condition, wrapped_number(input), other);
}
Tensor where(const Tensor& condition, const Tensor& input, const Scalar& other) {
  return where(condition, input, wrapped_number(other));
}
Tensor where(const Tensor& condition, const Scalar& input, const Scalar& other) {
  const bool real = input.is_floating_point() || other.is_floating_point();
  const ScalarType type = real ? kFloat : promote_types(input.kind(), other.kind());
  return where(condition, wrapped_number(input).to(type), wrapped_number(other).to(type));
}
TensorList where(const Tensor& condition) { return nonzero(condition).unbind(1); }
Tensor Tensor::where(const Tensor& condition, const Tensor& other) const {
  return td::where(condition, *this, other);
}
Tensor Tensor::where(const Tensor& condition, const Scalar& other) const {
  return td::where(condition, *this, other);
}

}  // namespace td
