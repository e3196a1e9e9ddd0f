// Element-wise functions of three tensors: one body for all lines of ternary.def.
#include "td/kernels/pointwise.h"
#include "td/kernels/scalar_math.h"
#include "td/ops/pointwise/binary.h"

namespace td {
namespace {

using Gradient = Tensor (*)(const Tensor& g, const SavedVariable& a, const SavedVariable& b,
                            const SavedVariable& c, const Scalar& v);

// One line of the list, as data.
struct TernaryOp {
  Op op;
  const autocast::Rule* rule;
  bool floats_only;
  void (*forward)(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& c,
                  const Scalar& v);
  Gradient gradients[3];
};

// The parameters of a gradient; most read only some of them.
#define TD_GRADIENT                                                                  \
  ([[maybe_unused]] const Tensor& g, [[maybe_unused]] const SavedVariable& a,        \
   [[maybe_unused]] const SavedVariable& b, [[maybe_unused]] const SavedVariable& c, \
   [[maybe_unused]] const Scalar& v)
#define TERNARY(name, types, expression, of_a, of_b, of_c)                                 \
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
  Tensor name##_gradient_a TD_GRADIENT { return of_a; }                                    \
  Tensor name##_gradient_b TD_GRADIENT { return of_b; }                                    \
  Tensor name##_gradient_c TD_GRADIENT { return of_c; }
#include "td/ops/pointwise/ternary.def"
#undef TERNARY
#undef TD_GRADIENT

constexpr bool numbers = false, floats = true;  // the `types` of a line

#define TERNARY_OP(name, types, ...)                                       \
  constexpr TernaryOp name##_op {                                          \
    {#name, {__VA_ARGS__}}, autocast::find(#name), types, name##_kernel, { \
      name##_gradient_a, name##_gradient_b, name##_gradient_c              \
    }                                                                      \
  }
TERNARY_OP(addcmul, numbers, "input", "tensor1", "tensor2");
TERNARY_OP(addcdiv, floats, "input", "tensor1", "tensor2");
TERNARY_OP(lerp, floats, "input", "end", "weight");
#undef TERNARY_OP

ScalarType common_type(const TernaryOp& o, const Tensor& a, const Tensor& b, const Tensor& c) {
  const ScalarType type =
      promote_types(promote_types(result_type(a, b), result_type(a, c)), result_type(b, c));
  TD_CHECK(DtypeError, !o.floats_only || is_floating_point(type), o.op.name,
           ": not defined for integers; convert \"input\" with to(kFloat32)");
  return type;
}

Device check(const Op& op, const Tensor& a, const Tensor& b, const Tensor& c) {
  const Device device = common_device(op, a, b, c);
  if (!b.defined()) undefined_argument(op, 1);
  if (!c.defined()) undefined_argument(op, 2);
  return device;
}

Sizes common_sizes(const Op& op, const Tensor& a, const Tensor& b, const Tensor& c) {
  return broadcast_sizes(op.name, a.sizes(), broadcast_sizes(op.name, b.sizes(), c.sizes()));
}

// What the gradient saves of three arguments.
struct SavedTriple {
  const TernaryOp* o;
  SavedVariable saved[3];
  Sizes sizes[3];
  ScalarType types[3];
  Scalar v;

  SavedTriple(const TernaryOp& op, const Tensor& a, const SavedVariable& old_a, const Tensor& b,
              const Tensor& c, const Scalar& factor)
      : o(&op),
        saved{old_a, save(b), save(c)},
        sizes{a.impl().sizes, b.impl().sizes, c.impl().sizes},
        types{a.dtype(), b.dtype(), c.dtype()},
        v(factor) {}

  void operator()(Gradients& grads, const Tensor& g) const {
    for (std::size_t i = 0; i < 3; ++i)
      grads.set_lazily(i, [&] {
        const Tensor full = o->gradients[i](g, saved[0], saved[1], saved[2], v);
        return as_type(sum_to(full, sizes[i]), types[i]);
      });
  }
};

Tensor ternary(const TernaryOp& o, const Tensor& a, const Tensor& b, const Tensor& c,
               const Scalar& v = 1) {
  if (autocast::active() && o.rule) [[unlikely]]
    return autocast::run(
        *o.rule, [&](const auto&... x) { return ternary(o, x..., v); }, a, b, c);
  const Device device = check(o.op, a, b, c);
  const ScalarType type = common_type(o, a, b, c);
  const Sizes sizes = common_sizes(o.op, a, b, c);
  Tensor out = result_like(a, sizes, type, device);
  o.forward(out, as_type(a.detach(), type), as_type(b.detach(), type), as_type(c.detach(), type),
            v);
  if (recording(a, b, c)) record(o.op.name, out, {&a, &b, &c}, SavedTriple(o, a, save(a), b, c, v));
  return out;
}

void ternary_in_place(const TernaryOp& o, const Tensor& a, const Tensor& b, const Tensor& c,
                      const Scalar& v = 1) {
  check(o.op, a, b, c);
  check_can_keep(o.op.name, common_type(o, a, b, c), a);
  const Sizes sizes = common_sizes(o.op, a, b, c);
  TD_CHECK(ShapeError, sizes == a.impl().sizes, o.op.name, "_: a result of sizes ",
           IntArrayRef(sizes), " does not fit into \"input\" of sizes ", a.sizes(),
           ", which is changed in place");
  const bool recorded = recording(a, b, c);
  const SavedVariable old_a = recorded ? save(a.detach().clone()) : SavedVariable();
  check_inplace(o.op.name, a);
  increment_version(a);
  o.forward(a, a, as_type(b.detach(), a.dtype()), as_type(c.detach(), a.dtype()), v);
  if (recorded) record_in_place(o.op.name, a, {&a, &b, &c}, SavedTriple(o, a, old_a, b, c, v));
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
  ternary_in_place(addcmul_op, *this, tensor1, tensor2, value);
  return handle();
}
Tensor& Tensor::addcdiv_(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) const {
  ternary_in_place(addcdiv_op, *this, tensor1, tensor2, value);
  return handle();
}
Tensor& Tensor::lerp_(const Tensor& end, const Tensor& weight) const {
  ternary_in_place(lerp_op, *this, end, weight);
  return handle();
}
Tensor& Tensor::lerp_(const Tensor& end, const Scalar& weight) const {
  return lerp_(end, wrapped_number(weight));
}

}  // namespace td
