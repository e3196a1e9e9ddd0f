// Element-wise functions of two tensors: add and sub by hand (they have a factor), the rest one
// body for all lines of tensor/binary.def.
#include <string_view>

#include "td/ops/op.h"

namespace td {
namespace {

// The two arguments brought to one type, and the result they will be written to.
struct Pair {
  InType a, b;
  Tensor out;
};

Pair prepare(const Op& op, const Tensor& a, const Tensor& b, bool makes_float) {
  const Device device = common_device(op, a, b);
  if (!b.defined()) undefined_argument(op, 1);
  ScalarType type = result_type(a, b);
  if (makes_float) type = float_type(type);
  const Sizes sizes = a.impl().sizes == b.impl().sizes
                          ? a.impl().sizes
                          : broadcast_sizes(op.name, a.sizes(), b.sizes());
  return {{a, type}, {b, type}, result_like(a, b, sizes, type, device)};
}

// The same for `a op= b`: the result must fit into a.
InType prepare_in_place(const Op& op, const Tensor& a, const Tensor& b) {
  const Device device = common_device(op, a, b);
  if (!b.defined()) undefined_argument(op, 1);
  TD_CHECK(DeviceError, a.device() == device, op.name, "_: \"input\" is a number on ", a.device(),
           " and cannot keep a result on ", device, "; move it with to(\"", device, "\")");
  const ScalarType type = result_type(a, b);
  TD_CHECK(DtypeError, can_cast(type, a.dtype()), op.name, "_: a result of type ", type,
           " cannot be kept in a tensor of type ", a.dtype(), "; convert it first with to(dtype)");
  TD_CHECK(ShapeError,
           a.impl().sizes == b.impl().sizes ||
               broadcast_sizes(op.name, a.sizes(), b.sizes()) == a.impl().sizes,
           op.name, "_: \"other\" of sizes ", b.sizes(), " does not fit into \"input\" of sizes ",
           a.sizes(), ", which is changed in place");
  assert_no_partial_overlap(op.name, a, b, "other");
  return {b, a.dtype()};
}

// A number in the type in which it will meet `input`, so that nothing is left to convert.
Tensor number_beside(const Tensor& input, const Scalar& value) {
  if (!input.defined()) return wrapped_number(value);  // the operation says what is wrong
  Tensor number = empty_on({}, result_type(input, value), Device(kCPU));
  dispatch_all(number.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    *number.data_ptr<T>() = value.to<T>();
  });
  number.impl().wrapped_number = true;
  return number;
}

constexpr Op kAdd{"add", {"input", "other"}};
constexpr Op kSub{"sub", {"input", "other"}};

void check_alpha(const Op& op, ScalarType type, const Scalar& alpha) {
  TD_CHECK(DtypeError, is_floating_point(type) || !alpha.is_floating_point(), op.name,
           ": for whole numbers alpha must be a whole number too");
}

// What true - true is, nobody could say.
void check_no_bool(const Tensor& input, const Tensor& other) {
  TD_CHECK(
      DtypeError,
      !input.defined() || !other.defined() || (input.dtype() != kBool && other.dtype() != kBool),
      "sub: not defined for bool tensors; use logical_xor or convert them to a number type");
}

void give_sum(Gradients& grads, const Tensor& g, const Sizes& a, const Sizes& b, ScalarType type_a,
              ScalarType type_b, const Scalar& alpha) {
  grads.give(0, [&] { return as_type(sum_to(g, a), type_a); });
  grads.give(1, [&] {
    const Tensor scaled = alpha.to<double>() == 1.0 ? g : mul(g, alpha);
    return as_type(sum_to(scaled, b), type_b);
  });
}

// A sum of bool tensors is "or", which knows no factor but 0.
void add_into(const Tensor& out, const Tensor& a, const Tensor& b, const Scalar& alpha) {
  if (out.dtype() != kBool) return kernels::add(out, a, b, alpha);
  kernels::logical_or(out, a, alpha.to<double>() == 0 ? a : b);
}

Tensor add_scaled(const Op& op, const Tensor& a, const Tensor& b, const Scalar& alpha) {
  Pair p = prepare(op, a, b, false);
  check_alpha(op, p.out.dtype(), alpha);
  add_into(p.out, p.a, p.b, alpha);
  if (recording(a, b))
    record(op.name, p.out, {&a, &b},
           [sa = a.impl().sizes, sb = b.impl().sizes, ta = a.dtype(), tb = b.dtype(), alpha](
               Gradients& grads, const Tensor& g) { give_sum(grads, g, sa, sb, ta, tb, alpha); });
  return std::move(p.out);
}

Tensor& add_scaled_(const Op& op, Tensor& a, const Tensor& b, const Scalar& alpha) {
  const InType other = prepare_in_place(op, a, b);
  check_alpha(op, a.dtype(), alpha);
  about_to_change(op.name, a);
  add_into(a, a, other, alpha);
  if (recording(a, b))
    record_in_place(
        op.name, a, {&a, &b},
        [sa = a.impl().sizes, sb = b.impl().sizes, ta = a.dtype(), tb = b.dtype(), alpha](
            Gradients& grads, const Tensor& g) { give_sum(grads, g, sa, sb, ta, tb, alpha); });
  return a;
}

// One line of binary.def, as data.
struct BinaryOp {
  Op op;
  const autocast::Rule* rule;
  bool makes_float;
  void (*forward)(const Tensor& out, const Tensor& a, const Tensor& b);
  Tensor (*gradient_a)(const Tensor& g, const Saved& a, const Saved& b);
  Tensor (*gradient_b)(const Tensor& g, const Saved& a, const Saved& b);
};

// What the gradient of a binary operation keeps.
struct SavedPair {
  const BinaryOp* o;
  Saved a, b;
  Sizes sizes_a, sizes_b;
  ScalarType type_a, type_b;

  SavedPair(const BinaryOp& op, const Tensor& x, const Tensor& y, const Saved& saved_x)
      : o(&op),
        a(saved_x),
        b(save(y)),
        sizes_a(x.impl().sizes),
        sizes_b(y.impl().sizes),
        type_a(x.dtype()),
        type_b(y.dtype()) {}

  void operator()(Gradients& grads, const Tensor& g) const {
    grads.give(0, [&] { return as_type(sum_to(o->gradient_a(g, a, b), sizes_a), type_a); });
    grads.give(1, [&] { return as_type(sum_to(o->gradient_b(g, a, b), sizes_b), type_b); });
  }
};

// Of bool tensors a product and a minimum are "and", a maximum is "or".
auto forward_of(const BinaryOp& o, ScalarType type) {
  if (type != kBool) return o.forward;
  if (o.forward == kernels::mul || o.forward == kernels::minimum) return kernels::logical_and;
  return o.forward == kernels::maximum ? kernels::logical_or : o.forward;
}

Tensor binary(const BinaryOp& o, const Tensor& a, const Tensor& b) {
  if (autocast::active() && o.rule) [[unlikely]]
    return autocast::run(
        *o.rule, [&o](const Tensor& x, const Tensor& y) { return binary(o, x, y); }, a, b);
  Pair p = prepare(o.op, a, b, o.makes_float);
  forward_of(o, p.out.dtype())(p.out, p.a, p.b);
  if (recording(a, b)) record(o.op.name, p.out, {&a, &b}, SavedPair(o, a, b, save(a)));
  return std::move(p.out);
}

Tensor& binary_in_place(const BinaryOp& o, Tensor& a, const Tensor& b) {
  TD_CHECK(DtypeError, !o.makes_float || a.is_floating_point(), o.op.name,
           "_: the result is floating point and cannot be kept in ", a.dtype(), "; use ", o.op.name,
           "() or convert the tensor first");
  const InType other = prepare_in_place(o.op, a, b);
  const bool recorded = recording(a, b);
  const Saved old_a = recorded ? save(a.clone()) : Saved();  // the value before the change
  about_to_change(o.op.name, a);
  forward_of(o, a.dtype())(a, a, other);
  if (recorded) record_in_place(o.op.name, a, {&a, &b}, SavedPair(o, a, b, old_a));
  return a;
}

// A number of the program with all its digits: what is computed from it alone would be float32.
Tensor all_digits(const Tensor& x) { return x.impl().wrapped_number ? x.view({}).to(kFloat64) : x; }

// At the borders of its domain a power has the gradient 0: x^0 is constant, and 0^x is 0.
Tensor power_gradient_base(const Tensor& g, const Tensor& a, const Tensor& b) {
  return where(b == Scalar(0), Scalar(0), g * b * pow(a, all_digits(b) - 1));
}
Tensor power_gradient_exponent(const Tensor& g, const Tensor& a, const Tensor& b) {
  const Tensor flat = logical_and(a == Scalar(0), b >= Scalar(0));
  return where(flat, Scalar(0), g * pow(a, b) * log(all_digits(a)));
}

#define BINARY(name, expression, of_a, of_b)                                 \
  Tensor name##_gradient_a(const Tensor& g, [[maybe_unused]] const Saved& a, \
                           [[maybe_unused]] const Saved& b) {                \
    return of_a;                                                             \
  }                                                                          \
  Tensor name##_gradient_b(const Tensor& g, [[maybe_unused]] const Saved& a, \
                           [[maybe_unused]] const Saved& b) {                \
    return of_b;                                                             \
  }                                                                          \
  constexpr BinaryOp name##_op{{#name, {"input", "other"}},                  \
                               autocast::find(#name),                        \
                               std::string_view(#name) == "div",             \
                               kernels::name,                                \
                               name##_gradient_a,                            \
                               name##_gradient_b};
#include "td/ops/pointwise/binary.def"
#include "td/ops/pointwise/binary_whole.def"
#undef BINARY

}  // namespace

#define BINARY(name, expression, of_a, of_b) \
  Tensor name(const Tensor& input, const Tensor& other) { return binary(name##_op, input, other); }
#include "td/ops/pointwise/binary.def"
#include "td/ops/pointwise/binary_whole.def"
#undef BINARY

Tensor add(const Tensor& input, const Tensor& other, const Scalar& alpha) {
  return add_scaled(kAdd, input, other, alpha);
}
Tensor sub(const Tensor& input, const Tensor& other, const Scalar& alpha) {
  check_no_bool(input, other);
  return add_scaled(kSub, input, other, -alpha);
}
Tensor add(const Tensor& input, const Scalar& other, const Scalar& alpha) {
  return add(input, number_beside(input, other), alpha);
}
Tensor sub(const Tensor& input, const Scalar& other, const Scalar& alpha) {
  TD_CHECK(DtypeError, !input.defined() || input.dtype() != kBool,
           "sub: not defined for a bool tensor; convert it to a number type");
  return sub(input, number_beside(input, other), alpha);
}
Tensor mul(const Tensor& input, const Scalar& other) {
  return mul(input, number_beside(input, other));
}
Tensor div(const Tensor& input, const Scalar& other) {
  return div(input, number_beside(input, other));
}
Tensor pow_impl(const Tensor& input, const Scalar& exponent) {
  const bool whole = !input.is_floating_point() && !exponent.is_floating_point();
  TD_CHECK(DtypeError, !whole || exponent.to<std::int64_t>() >= 0, "pow: a whole number to the ",
           "power ", exponent.to<std::int64_t>(), " is not whole; convert with to(kFloat32)");
  return exponent.to<double>() == 2.0 && input.is_floating_point()
             ? square(input)
             : pow(input, wrapped_number(exponent));
}
Tensor pow_impl(const Scalar& base, const Tensor& exponent) {
  return pow(wrapped_number(base), exponent);
}
Tensor operator-(const Scalar& a, const Tensor& b) { return sub(number_beside(b, a), b); }
Tensor operator/(const Scalar& a, const Tensor& b) { return div(number_beside(b, a), b); }

Tensor share_above(const Tensor& a, const Tensor& b) {
  NoGradGuard no_grad;  // a step function: its own gradient is zero
  const ScalarType type = result_type(a, b);
  return add(gt(a, b).to(type), mul(eq(a, b).to(type), 0.5));
}

Tensor& Tensor::add_(const Tensor& other, const Scalar& alpha) const {
  return add_scaled_(kAdd, handle(), other, alpha);
}
Tensor& Tensor::sub_(const Tensor& other, const Scalar& alpha) const {
  check_no_bool(*this, other);
  return add_scaled_(kSub, handle(), other, -alpha);
}
Tensor& Tensor::mul_(const Tensor& other) const { return binary_in_place(mul_op, handle(), other); }
Tensor& Tensor::div_(const Tensor& other) const { return binary_in_place(div_op, handle(), other); }
Tensor& Tensor::add_(const Scalar& o, const Scalar& alpha) const {
  return add_(number_beside(*this, o), alpha);
}
Tensor& Tensor::sub_(const Scalar& o, const Scalar& alpha) const {
  return sub_(number_beside(*this, o), alpha);
}
Tensor& Tensor::mul_(const Scalar& other) const { return mul_(number_beside(*this, other)); }
Tensor& Tensor::div_(const Scalar& other) const { return div_(number_beside(*this, other)); }

}  // namespace td
