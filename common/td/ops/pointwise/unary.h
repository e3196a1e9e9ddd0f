// What a line of unary_any.def, unary_float.def or td_more/activation.def becomes: two functors,
// the gradient as an expression of Tensors, and a UnaryOp that holds them. unary.cu has the one
// body for all of them. Each list is compiled by a file of its own, because nvcc takes long for a
// kernel.
#pragma once

#include "td/kernels/pointwise.h"
#include "td/kernels/scalar_math.h"
#include "td/ops/op.h"

namespace td {

/// One line of a list. p and q are the numbers of an activation; other functions ignore them.
struct UnaryOp {
  enum Saves { nothing, x, y };
  enum Types { kKeepsType, kMakesFloat, kFloatsOnly };

  const char* name;
  const char* backward_name;
  const autocast::Rule* rule;
  Saves saves;
  Types types;
  void (*forward)(const char* name, double p, double q, const Tensor& out, const Tensor& x);
  void (*backward)(const char* name, double p, double q, const Tensor& out, const Tensor& g,
                   const Tensor& saved);
  Tensor (*expression)(const Tensor& g, const Tensor& saved, const Scalar& p, const Scalar& q);
};

Tensor unary(const UnaryOp& u, const Tensor& input, double p = 0, double q = 0);
Tensor& unary_in_place(const UnaryOp& u, Tensor& self, double p = 0, double q = 0);

namespace {

// Of one tensor forward, of the gradient and what was saved backward.
template <template <class> class F, bool kFloats, class... In>
void unary_kernel(const char* name, double p, double q, const Tensor& out, const In&... in) {
  const auto run = [&]<class T>(CppType<T>) {
    using C = compute_t<T>;
    pointwise<T, element_of<In, T>...>(name, F<C>{static_cast<C>(p), static_cast<C>(q)}, out,
                                       in...);
  };
  if constexpr (kFloats)
    dispatch_floats(name, out.dtype(), run);
  else
    dispatch_numbers(name, out.dtype(), run);
}

}  // namespace

// The gradient's text appears twice: in a functor, and in a function of Tensors, where T(...) makes
// a Scalar and the functions are those of ops.h.
#define TD_UNARY_OP(name, saves, types, forward, gradient)                                       \
  template <class T>                                                                             \
  struct name##_forward {                                                                        \
    T p, q;                                                                                      \
    TD_HD T operator()(T x) const {                                                              \
      using namespace scalar_math;                                                               \
      return static_cast<T>(forward);                                                            \
    }                                                                                            \
  };                                                                                             \
  template <class T>                                                                             \
  struct name##_gradient {                                                                       \
    T p, q;                                                                                      \
    TD_HD T operator()(T g, [[maybe_unused]] T saved) const {                                    \
      using namespace scalar_math;                                                               \
      [[maybe_unused]] const T x = saved, y = saved;                                             \
      return static_cast<T>(gradient);                                                           \
    }                                                                                            \
  };                                                                                             \
  Tensor name##_expression(const Tensor& g, [[maybe_unused]] const Tensor& saved,                \
                           [[maybe_unused]] const Scalar& p, [[maybe_unused]] const Scalar& q) { \
    using T [[maybe_unused]] = Scalar;                                                           \
    [[maybe_unused]] const Tensor &x = saved, &y = saved;                                        \
    return gradient;                                                                             \
  }                                                                                              \
  constexpr UnaryOp name##_op{#name,                                                             \
                              #name "_backward",                                                 \
                              autocast::find(#name),                                             \
                              UnaryOp::saves,                                                    \
                              types,                                                             \
                              unary_kernel<name##_forward, types != UnaryOp::kKeepsType>,        \
                              unary_kernel<name##_gradient, true>,                               \
                              name##_expression};

#define TD_UNARY_FUNCTIONS(name)                                              \
  Tensor name(const Tensor& input) { return unary(name##_op, input); }        \
  Tensor& name##_(Tensor& input) { return unary_in_place(name##_op, input); } \
  Tensor Tensor::name() const { return unary(name##_op, *this); }             \
  Tensor& Tensor::name##_() const { return unary_in_place(name##_op, handle()); }

}  // namespace td
