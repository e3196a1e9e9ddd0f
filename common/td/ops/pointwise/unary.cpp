// Element-wise functions of one tensor: one body for all lines of the unary .def lists.
#include "td/ops/op.h"

namespace td {
namespace {

enum class Keeps { nothing, x, y };

// One line of a list, as data: the kernels, and the gradient as an expression of Tensors.
struct UnaryOp {
  Op op;
  const autocast::Rule* rule;
  Keeps keeps;
  bool makes_float;
  void (*forward)(const Tensor& out, const Tensor& x);
  void (*backward)(const Tensor& out, const Tensor& g, const Tensor& saved);
  Tensor (*expression)(const Tensor& g, const Tensor& saved);
};

// The gradient: one fused kernel, or recorded operations when it must itself be differentiable.
Tensor unary_gradient(const UnaryOp& u, const Tensor& g, const Tensor& saved) {
  if (recording(g, saved)) return u.expression(g, saved);
  Tensor out = result_like(g, Sizes(g.sizes()), g.dtype(), g.device());
  u.backward(out, g, saved);
  return out;
}

void record_unary(const UnaryOp& u, const Tensor& y, const Tensor& x) {
  const SavedVariable kept = u.keeps == Keeps::x   ? save(x)
                             : u.keeps == Keeps::y ? save_result(y)
                                                   : SavedVariable();
  record(u.op.name, y, {&x}, [&u, kept](Gradients& grads, const Tensor& g) {
    grads.set_lazily(0,
                     [&] { return unary_gradient(u, g, u.keeps == Keeps::nothing ? g : kept()); });
  });
}

Tensor unary(const UnaryOp& u, const Tensor& input) {
  if (autocast::active() && u.rule) [[unlikely]]
    return autocast::run(
        *u.rule, [&u](const Tensor& x) { return unary(u, x); }, input);
  const Device device = common_device(u.op, input);
  if (input.dtype() == kBool && u.forward == kernels::sign) return input.clone();
  if (input.dtype() == kBool && u.forward == kernels::square) return input.to(kLong);
  const InType in_type(input, u.makes_float ? float_type(input.dtype()) : input.dtype());
  const Tensor& x = in_type;
  Tensor y = result_like(x, x.impl().sizes, x.dtype(), device);
  u.forward(y, x);
  if (recording(x)) record_unary(u, y, x);
  return y;
}

Tensor& unary_in_place(const UnaryOp& u, Tensor& self) {
  common_device(u.op, self);
  TD_CHECK(DtypeError, !u.makes_float || self.is_floating_point(), u.op.name,
           "_: the result is floating point and cannot be kept in ", self.dtype(), "; use ",
           u.op.name, "() or convert the tensor first");
  if (!recording(self)) {
    check_inplace(u.op.name, self);
    increment_version(self);
    u.forward(self, self);
    return self;
  }
  // Recorded: what the gradient keeps must not be the memory that changes.
  const SavedVariable kept_x = u.keeps == Keeps::x ? save(self.clone()) : SavedVariable();
  check_inplace(u.op.name, self);
  increment_version(self);
  u.forward(self, self);
  const SavedVariable kept_y = u.keeps == Keeps::y ? save_result(self) : SavedVariable();
  record_in_place(u.op.name, self, {&self},
                  [&u, kept_x, kept_y](Gradients& grads, const Tensor& g) {
                    grads.set_lazily(0, [&] {
                      return unary_gradient(u, g,
                                            u.keeps == Keeps::x   ? kept_x()
                                            : u.keeps == Keeps::y ? kept_y()
                                                                  : g);
                    });
                  });
  return self;
}

// T(...) in a gradient's text is a number here, and functions find the Tensor versions.
#define TD_UNARY_OP(name, keeps, gradient, makes_float)                                            \
  Tensor name##_expression(const Tensor& g, [[maybe_unused]] const Tensor& saved) {                \
    using T [[maybe_unused]] = Scalar;                                                             \
    [[maybe_unused]] const Tensor &x = saved, &y = saved;                                          \
    return gradient;                                                                               \
  }                                                                                                \
  constexpr UnaryOp name##_op{{#name, {"input"}}, autocast::find(#name), Keeps::keeps,             \
                              makes_float,        kernels::name,         kernels::name##_backward, \
                              name##_expression};

#define UNARY(name, keeps, forward, gradient) TD_UNARY_OP(name, keeps, gradient, false)
#include "td/ops/pointwise/unary_any.def"
#undef UNARY
#define UNARY(name, keeps, forward, gradient) TD_UNARY_OP(name, keeps, gradient, true)
#include "td/ops/pointwise/unary_float.def"
#undef UNARY

}  // namespace

#define UNARY(name, keeps, forward, gradient)                                 \
  Tensor name(const Tensor& input) { return unary(name##_op, input); }        \
  Tensor& name##_(Tensor& input) { return unary_in_place(name##_op, input); } \
  Tensor Tensor::name() const { return unary(name##_op, *this); }             \
  Tensor& Tensor::name##_() const { return unary_in_place(name##_op, handle()); }
#include "td/ops/pointwise/unary_any.def"
#include "td/ops/pointwise/unary_float.def"
#undef UNARY

}  // namespace td
