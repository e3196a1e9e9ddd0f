// add and sub, which have a factor (alpha) and are therefore no lines of binary.def: sub adds the
// negative.
#include <functional>

#include "td/kernels/pointwise.h"
#include "td/ops/pointwise/binary.h"

namespace td {
namespace {

template <class A>
struct AddScaled {
  A alpha;
  template <class T>
  TD_HD T operator()(T a, T b) const {
    return static_cast<T>(a + static_cast<T>(alpha) * b);
  }
};

constexpr Op kAdd{"add", {"input", "other"}};
constexpr Op kSub{"sub", {"input", "other"}};

void check_alpha(const Op& op, ScalarType type, const Scalar& alpha) {
  TD_CHECK(DtypeError, is_floating_point(type) || !alpha.is_floating_point(), op.name,
           ": for integers alpha must be an integer too");
}

// The difference of two truth values has no meaning.
void check_no_bool(const Tensor& input, const Tensor& other) {
  TD_CHECK(
      DtypeError,
      !input.defined() || !other.defined() || (input.dtype() != kBool && other.dtype() != kBool),
      "sub: not defined for bool tensors; use logical_xor or convert them to a number type");
}

// A sum of bool tensors is "or"; the only factor with a meaning is 0.
void add_into(const Tensor& out, const Tensor& a, const Tensor& b, const Scalar& alpha) {
  if (out.dtype() != kBool) return kernels::add(out, a, b, alpha);
  kernels::logical_or(out, a, alpha.to<double>() == 0 ? a : b);
}

auto gradients(const Tensor& a, const Tensor& b, const Scalar& alpha) {
  return [a = ArgumentForm(a), b = ArgumentForm(b), alpha](Gradients& grads, const Tensor& g) {
    grads.set_lazily(0, [&] { return a.fit(g); });
    grads.set_lazily(1, [&] { return b.fit(alpha.to<double>() == 1.0 ? g : mul(g, alpha)); });
  };
}

Tensor add_scaled(const Op& op, const Tensor& a, const Tensor& b, const Scalar& alpha) {
  BinaryArguments p = prepare(op, a, b, false);
  check_alpha(op, p.out.dtype(), alpha);
  add_into(p.out, p.a, p.b, alpha);
  if (recording(a, b)) record(op.name, p.out, {&a, &b}, gradients(a, b, alpha));
  return std::move(p.out);
}

Tensor& add_scaled_(const Op& op, Tensor& a, const Tensor& b, const Scalar& alpha) {
  const InType other = prepare_in_place(op, a, b);
  check_alpha(op, a.dtype(), alpha);
  begin_inplace(op.name, a);
  add_into(a, a, other, alpha);
  if (recording(a, b)) record_in_place(op.name, a, {&a, &b}, gradients(a, b, alpha));
  return a;
}

}  // namespace

void kernels::add(const Tensor& out, const Tensor& a, const Tensor& b, const Scalar& alpha) {
  if (alpha.to<double>() == 1.0) {
    dispatch_all(out.dtype(),
                 [&]<class T>(CppType<T>) { pointwise<T, T, T>("add", std::plus<>{}, out, a, b); });
  } else {
    dispatch_numbers("add", out.dtype(), [&]<class T>(CppType<T>) {
      pointwise<T, T, T>("add", AddScaled<compute_t<T>>{alpha.to<compute_t<T>>()}, out, a, b);
    });
  }
}

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
  return sub(input, number_beside(input, other), alpha);
}
Tensor operator-(const Scalar& a, const Tensor& b) { return sub(number_beside(b, a), b); }

Tensor& Tensor::add_(const Tensor& other, const Scalar& alpha) const {
  return add_scaled_(kAdd, handle(), other, alpha);
}
Tensor& Tensor::sub_(const Tensor& other, const Scalar& alpha) const {
  check_no_bool(*this, other);
  return add_scaled_(kSub, handle(), other, -alpha);
}
Tensor& Tensor::add_(const Scalar& o, const Scalar& alpha) const {
  return add_(number_beside(*this, o), alpha);
}
Tensor& Tensor::sub_(const Scalar& o, const Scalar& alpha) const {
  return sub_(number_beside(*this, o), alpha);
}

}  // namespace td
