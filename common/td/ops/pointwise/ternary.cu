// Element-wise functions of three tensors: one body for all lines of ternary.def.
#include <array>

#include "td/kernels/pointwise.h"
#include "td/kernels/scalar_math.h"
#include "td/ops/pointwise/binary.h"

namespace td {
namespace {

// One line of the list, as data.
struct TernaryOp {
  Op op;
  const autocast::Rule* rule;
  bool floats_only;
  void (*forward)(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& c,
                  const Scalar& v);
  // The gradient of argument `of`; most read only some of the others.
  Tensor (*gradient)(int of, const Tensor& g, const SavedVariable& a, const SavedVariable& b,
                     const SavedVariable& c, const Scalar& v);
};

constexpr bool numbers = false, floats = true;  // the `types` of a line

#define TERNARY(name, second, third, types, expression, of_a, of_b, of_c)                  \
  template <class T>                                                                       \
  struct name##_f {                                                                        \
    T v;                                                                                   \
    TD_HD T operator()(T a, T b, T c) const {                                              \
      using namespace scalar_math;                                                         \
      return static_cast<T>(expression);                                                   \
    }                                                                                      \
  };                                                                                       \
  void name##_kernel(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& c, \
                     const Scalar& v) {                                                    \
    dispatch_##types(#name, out.dtype(), [&]<class T>(CppType<T>) {                        \
      using C = compute_t<T>;                                                              \
      pointwise<T, T, T, T>(#name, name##_f<C>{v.to<C>()}, out, a, b, c);                  \
    });                                                                                    \
  }                                                                                        \
  Tensor name##_gradient(int of, const Tensor& g, [[maybe_unused]] const SavedVariable& a, \
                         const SavedVariable& b, const SavedVariable& c,                   \
                         [[maybe_unused]] const Scalar& v) {                               \
    return of == 0 ? of_a : of == 1 ? of_b : of_c;                                         \
  }                                                                                        \
  constexpr TernaryOp name##_op{{#name, {"input", second, third}},                         \
                                autocast::find(#name),                                     \
                                types,                                                     \
                                name##_kernel,                                             \
                                name##_gradient};
#include "td/ops/pointwise/ternary.def"
#undef TERNARY

ScalarType common_type(const TernaryOp& o, const Tensor& a, const Tensor& b, const Tensor& c) {
  const ScalarType type =
      promote_types(promote_types(result_type(a, b), result_type(a, c)), result_type(b, c));
  TD_CHECK(DtypeError, !o.floats_only || is_floating_point(type), o.op.name,
           ": not defined for integers; convert \"input\" with to(kFloat32)");
  return type;
}

Sizes common_sizes(const Op& op, const Tensor& a, const Tensor& b, const Tensor& c) {
  return broadcast_sizes(op.name, a.sizes(), broadcast_sizes(op.name, b.sizes(), c.sizes()));
}

using SavedArguments = std::array<SavedVariable, 3>;

// The gradients. `saved` holds the values before a change in place.
auto gradients(const TernaryOp& o, const Tensor& a, const Tensor& b, const Tensor& c,
               const Scalar& v, SavedArguments saved) {
  return [&o, saved = std::move(saved),
          forms = std::array{ArgumentForm(a), ArgumentForm(b), ArgumentForm(c)},
          v](Gradients& grads, const Tensor& g) {
    for (int i = 0; i < 3; ++i) {
      const auto at = static_cast<std::size_t>(i);
      grads.set_lazily(
          at, [&] { return forms[at].fit(o.gradient(i, g, saved[0], saved[1], saved[2], v)); });
    }
  };
}

Tensor ternary(const TernaryOp& o, const Tensor& a, const Tensor& b, const Tensor& c,
               const Scalar& v = 1) {
  if (autocast::active() && o.rule) [[unlikely]]
    return autocast::run(
        *o.rule, [&](const auto&... x) { return ternary(o, x..., v); }, a, b, c);
  const Device device = common_device(o.op, a, b, c);
  const ScalarType type = common_type(o, a, b, c);
  const Sizes sizes = common_sizes(o.op, a, b, c);
  Tensor out = result_like(a, sizes, type, device);
  o.forward(out, as_type(a.detach(), type), as_type(b.detach(), type), as_type(c.detach(), type),
            v);
  if (recording(a, b, c))
    record(o.op.name, out, {&a, &b, &c}, gradients(o, a, b, c, v, {save(a), save(b), save(c)}));
  return out;
}

Tensor& ternary_in_place(const TernaryOp& o, Tensor& a, const Tensor& b, const Tensor& c,
                         const Scalar& v = 1) {
  common_device(o.op, a, b, c);
  check_can_keep(o.op.name, common_type(o, a, b, c), a);
  const Sizes sizes = common_sizes(o.op, a, b, c);
  TD_CHECK(ShapeError, sizes == a.impl().sizes, o.op.name, "_: a result of sizes ",
           IntArrayRef(sizes), " does not fit into \"input\" of sizes ", a.sizes(),
           ", which is changed in place");
  assert_no_partial_overlap(o.op.name, a, b, o.op.arguments[1]);
  assert_no_partial_overlap(o.op.name, a, c, o.op.arguments[2]);
  const bool recorded = recording(a, b, c);
  SavedArguments saved;  // b and c may share the memory that changes
  if (recorded) saved = {save(a.detach().clone()), save(b), save(c)};
  begin_inplace(o.op.name, a);
  o.forward(a, a, as_type(b.detach(), a.dtype()), as_type(c.detach(), a.dtype()), v);
  if (recorded) record_in_place(o.op.name, a, {&a, &b, &c}, gradients(o, a, b, c, v, saved));
  return a;
}

}  // namespace

Tensor addcmul(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2,
               const Scalar& value) {
  return ternary(addcmul_op, input, tensor1, tensor2, value);
}
Tensor addcdiv(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2,
               const Scalar& value) {
  return ternary(addcdiv_op, input, tensor1, tensor2, value);
}
Tensor lerp(const Tensor& input, const Tensor& end, const Tensor& weight) {
  TD_CHECK(DtypeError, !input.defined() || input.is_floating_point(),
           "lerp: not defined for integers; convert \"input\" with to(kFloat32)");
  return ternary(lerp_op, input, end, weight);
}
Tensor lerp(const Tensor& input, const Tensor& end, const Scalar& weight) {
  return lerp(input, end, wrapped_number(weight));
}

Tensor& Tensor::addcmul_(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) const {
  return ternary_in_place(addcmul_op, handle(), tensor1, tensor2, value);
}
Tensor& Tensor::addcdiv_(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) const {
  return ternary_in_place(addcdiv_op, handle(), tensor1, tensor2, value);
}
Tensor& Tensor::lerp_(const Tensor& end, const Tensor& weight) const {
  return ternary_in_place(lerp_op, handle(), end, weight);
}
Tensor& Tensor::lerp_(const Tensor& end, const Scalar& weight) const {
  return lerp_(end, wrapped_number(weight));
}

}  // namespace td
