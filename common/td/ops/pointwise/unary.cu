// Element-wise functions of one tensor: one body for all lines of the three lists (see unary.h),
// and the functions of unary_any.def, which keep the type.
#include "td/ops/pointwise/unary.h"

namespace td {
namespace {

#define UNARY(name, saves, forward, gradient) \
  TD_UNARY_OP(name, saves, UnaryOp::kKeepsType, forward, gradient)
#include "td/ops/pointwise/unary_any.def"
#undef UNARY

// The gradient: one fused kernel, or recorded operations when it must itself be differentiable.
struct UnaryGradient {
  const UnaryOp* u;
  SavedVariable saved;
  double p, q;

  Tensor operator()(const Tensor& g) const {
    const Tensor kept = u->saves == UnaryOp::nothing ? g : saved();
    if (recording(g, kept)) return u->expression(g, kept, p, q);
    Tensor out = result_like(g, Sizes(g.sizes()), g.dtype(), g.device());
    u->backward(u->backward_name, p, q, out, g, kept);
    return out;
  }
};

}  // namespace

Tensor unary(const UnaryOp& u, const Tensor& input, double p, double q) {
  if (autocast::active() && u.rule) [[unlikely]]
    return autocast::run(
        *u.rule, [&](const Tensor& x) { return unary(u, x, p, q); }, input);
  const Device device = device_of(u.name, input);
  if (input.dtype() == kBool && &u == &sign_op) return input.clone();
  if (input.dtype() == kBool && &u == &square_op) return input.to(kLong);
  const bool converts = u.types == UnaryOp::kMakesFloat;
  const InType in_type(input, converts ? float_type(input.dtype()) : input.dtype());
  const Tensor& x = in_type;
  Tensor y = result_like(x, x.impl().sizes, x.dtype(), device);
  u.forward(u.name, p, q, y, x);
  if (!recording(x)) return y;
  const SavedVariable saved = u.saves == UnaryOp::x   ? save(x)
                              : u.saves == UnaryOp::y ? save_result(y)
                                                      : SavedVariable();
  record(u.name, y, {&x}, UnaryGradient{&u, saved, p, q});
  return y;
}

Tensor& unary_in_place(const UnaryOp& u, Tensor& self, double p, double q) {
  device_of(u.name, self);
  TD_CHECK(DtypeError, u.types != UnaryOp::kMakesFloat || self.is_floating_point(), u.name,
           "_: the result is floating point and cannot be kept in ", self.dtype(), "; use ", u.name,
           "() or convert the tensor first");
  const bool recorded = recording(self);
  // What is saved must not be the memory that changes.
  SavedVariable saved = recorded && u.saves == UnaryOp::x ? save(self.clone()) : SavedVariable();
  // A type that the kernel does not know is rejected before the change is counted.
  const auto known = [](auto) {};
  u.types == UnaryOp::kKeepsType ? dispatch_numbers(u.name, self.dtype(), known)
                                 : dispatch_floats(u.name, self.dtype(), known);
  begin_inplace(u.name, self);
  u.forward(u.name, p, q, self, self);
  if (!recorded) return self;
  if (u.saves == UnaryOp::y) saved = save_result(self);
  record_in_place(u.name, self, {&self}, UnaryGradient{&u, saved, p, q});
  return self;
}

#define UNARY(name, ...) TD_UNARY_FUNCTIONS(name)
#include "td/ops/pointwise/unary_any.def"
#undef UNARY

}  // namespace td
