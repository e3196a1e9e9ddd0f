// Comparisons (one body for all lines of comparison.def: two tensors of one type in, bool out), and
// what is done with truth values and bits: logic, tests of values and the choice by a condition
// (where, masked_fill).
#include <functional>
#include <limits>

#include "td/kernels/pointwise.h"
#include "td/ops/pointwise/binary.h"

namespace td {
namespace {

constexpr Op and_op{"operator&", {"input", "other"}}, or_op{"operator|", {"input", "other"}};
constexpr Op equal_op{"equal", {"input", "other"}}, allclose_op{"allclose", {"input", "other"}};
constexpr Op where_op{"where", {"condition", "input", "other"}};
constexpr Op mask_op{"masked_fill", {"input", "mask"}};

using Kernel = void (*)(const Tensor& out, const Tensor& a, const Tensor& b);

struct Where {
  template <class T>
  TD_HD T operator()(bool condition, T a, T b) const {
    return condition ? a : b;
  }
};

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
  const ScalarType type = result_type(a, b);
  Tensor out = result_like(a, b, broadcast_sizes(op.name, a.sizes(), b.sizes()), kBool, device);
  kernel(out, as_type(a.detach(), type), as_type(b.detach(), type));
  return out;
}

bool both_bool(const Tensor& a, const Tensor& b) {
  return a.defined() && b.defined() && a.dtype() == kBool && b.dtype() == kBool;
}

// Of integers of out's type.
template <class F, class... In>
void bits_kernel(const char* op, const Tensor& out, const In&... in) {
  dispatch_all(out.dtype(), [&]<class T>(CppType<T>) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      pointwise<T, element_of<In, T>...>(op, F{}, out, in...);
    else
      fail<DtypeError>(op, ": expected bool tensors or integers but got ", out.dtype(),
                       "; make one with a comparison such as x > 0");
  });
}

template <class F>
Tensor bits(const Op& op, const Tensor& a, const Tensor& b) {
  const Device device = common_device(op, a, b);
  const ScalarType type = result_type(a, b);
  Tensor out = result_like(a, broadcast_sizes(op.name, a.sizes(), b.sizes()), type, device);
  bits_kernel<F>(op.name, out, as_type(a, type), as_type(b, type));
  return out;
}

Tensor mask_on(const Tensor& x, const Tensor& mask) {
  const Device device = common_device(mask_op, x, mask);
  TD_CHECK(DtypeError, mask.dtype() == kBool, "masked_fill: expected bool tensors but got ",
           mask.dtype(), "; make one with a comparison such as x > 0");
  return mask.device() == device ? mask : mask.to(device);
}

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

void kernels::where(const Tensor& out, const Tensor& condition, const Tensor& a, const Tensor& b) {
  dispatch_all(out.dtype(), [&]<class T>(CppType<T>) {
    pointwise<T, bool, T, T>("where", Where{}, out, condition, a, b);
  });
}

// The result has the order of dimensions of either choice, or is row-major.
static Tensor choose(const Tensor& condition, const Tensor& input, const Tensor& other,
                     bool keeps_order) {
  const Device device = common_device(where_op, condition, input, other);
  if (condition.dtype() == kByte) return choose(condition.ne(Scalar(0)), input, other, keeps_order);
  TD_CHECK(DtypeError, condition.dtype() == kBool, "where: \"condition\" must be bool but is ",
           condition.dtype(), "; make it with a comparison such as x > 0");
  const ScalarType type = result_type(input, other);
  const Sizes sizes = broadcast_sizes("where", condition.sizes(),
                                      broadcast_sizes("where", input.sizes(), other.sizes()));
  const Tensor a = as_type(input, type), b = as_type(other, type);
  Tensor out = keeps_order ? result_like(a, b, sizes, type, device) : empty_on(sizes, type, device);
  kernels::where(out, condition, a, b);
  if (recording(a, b))
    record("where", out, {&a, &b},
           [c = save(condition), sa = a.impl().sizes, sb = b.impl().sizes](Gradients& grads,
                                                                           const Tensor& g) {
             grads.set_lazily(0, [&] { return sum_to(where(c(), g, Scalar(0)), sa); });
             grads.set_lazily(1, [&] { return sum_to(where(c(), Scalar(0), g), sb); });
           });
  return out;
}

Tensor where(const Tensor& condition, const Tensor& input, const Tensor& other) {
  return choose(condition, input, other, true);
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
Tensor Tensor::where(const Tensor& condition, const Tensor& other) const {
  return td::where(condition, *this, other);
}
Tensor Tensor::where(const Tensor& condition, const Scalar& other) const {
  return td::where(condition, *this, other);
}

Tensor logical_not(const Tensor& input) {
  if (input.dtype() != kBool) return input.detach().eq(Scalar(0));
  Tensor out = result_like(input, input.impl().sizes, kBool, input.device());
  pointwise<bool, bool>("logical_not", std::logical_not<>{}, out, input);
  return out;
}
Tensor operator&(const Tensor& a, const Tensor& b) {
  return both_bool(a, b) ? logical_and(a, b) : bits<std::bit_and<>>(and_op, a, b);
}
Tensor operator|(const Tensor& a, const Tensor& b) {
  return both_bool(a, b) ? logical_or(a, b) : bits<std::bit_or<>>(or_op, a, b);
}
Tensor operator&(const Tensor& a, const Scalar& b) { return a & wrapped_number(b); }
Tensor operator|(const Tensor& a, const Scalar& b) { return a | wrapped_number(b); }
Tensor operator~(const Tensor& a) {
  if (a.dtype() == kBool) return logical_not(a);
  Tensor out = result_like(a, a.impl().sizes, a.dtype(), a.device());
  bits_kernel<std::bit_not<>>("operator~", out, a);
  return out;
}

Tensor isnan(const Tensor& input) { return input.ne(input); }
Tensor isinf(const Tensor& input) {
  if (!input.is_floating_point()) return zeros_like(input, TensorOptions(kBool));
  return input.detach().abs().eq(Scalar(std::numeric_limits<double>::infinity()));
}
Tensor isfinite(const Tensor& input) {
  if (!input.is_floating_point()) return ones_like(input, TensorOptions(kBool));
  return input.detach().abs().lt(Scalar(std::numeric_limits<double>::infinity()));
}

bool equal(const Tensor& input, const Tensor& other) {
  common_device(equal_op, input, other);
  check_may_wait("equal", input.device());
  return input.sizes() == other.sizes() && all(input.eq(other)).item<bool>();
}

bool allclose(const Tensor& input, const Tensor& other, double rtol, double atol, bool equal_nan) {
  common_device(allclose_op, input, other);
  check_may_wait("allclose", input.device());
  TD_CHECK(DtypeError, input.dtype() == other.dtype(), "allclose: \"input\" is ", input.dtype(),
           " but \"other\" is ", other.dtype(), "; convert one with to(dtype)");
  const NoGradGuard no_grad;
  // Differences of integers are computed as floats, which cannot wrap around.
  const Tensor a = as_type(input.detach(), float_type(input.dtype()));
  const Tensor b = as_type(other.detach(), float_type(other.dtype()));
  // Equality first: two equal infinities are close, though their difference is NaN.
  Tensor close = logical_or(
      a.eq(b), logical_and((a - b).abs().le(b.abs() * rtol + Scalar(atol)), isfinite(b)));
  if (equal_nan) close = logical_or(close, logical_and(isnan(a), isnan(b)));
  return all(close).item<bool>();
}

Tensor masked_fill(const Tensor& input, const Tensor& mask, const Scalar& value) {
  value.check_fits(input.dtype());
  const Tensor m = mask_on(input, mask);
  broadcast_sizes("masked_fill", input.sizes(), m.sizes());
  return choose(m, wrapped_number(value, input.dtype()), input, false);  // as in libtorch
}

Tensor& Tensor::masked_fill_(const Tensor& mask, const Scalar& value) const {
  value.check_fits(dtype());
  const Tensor m = mask_on(*this, mask);
  const Sizes fits = broadcast_sizes("masked_fill_", sizes(), m.sizes());
  TD_CHECK(ShapeError, fits == impl().sizes, "masked_fill_: \"mask\" of sizes ", m.sizes(),
           " does not fit into \"input\" of sizes ", sizes());
  assert_no_partial_overlap("masked_fill_", *this, m, "mask");
  begin_inplace("masked_fill_", *this);
  kernels::where(*this, m, wrapped_number(value, dtype()), *this);
  if (recording(*this))
    record_in_place("masked_fill", *this, {this},
                    [m = save(m)](const Tensor& g) { return td::where(m(), Scalar(0), g); });
  return handle();
}

}  // namespace td
