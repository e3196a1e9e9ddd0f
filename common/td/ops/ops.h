// Every free function that a program can call on tensors, with libtorch's names and argument order.
// ops/functions.def declares them, one line each; element-wise functions are lines of
// ops/pointwise/*.def.
#pragma once

#include <string_view>

#include "td/tensor/braces.h"
#include "td/tensor/tensor.h"

namespace td {

/// libtorch's namespace for what a loss does with the losses of its elements: it keeps them (None),
/// or takes their mean or their sum.
namespace Reduction {
enum Reduction { None, Mean, Sum };
}
/// Each element keeps its loss.
inline constexpr Reduction::Reduction kNone = Reduction::None;
/// The mean of the losses.
inline constexpr Reduction::Reduction kMean = Reduction::Mean;
/// The sum of the losses.
inline constexpr Reduction::Reduction kSum = Reduction::Sum;

/// @name Element-wise functions of one tensor (ops/pointwise/unary_*.def); `name_` works in place
/// @{
#define UNARY(name, saves, forward, gradient) \
  Tensor name(const Tensor& input);           \
  Tensor& name##_(Tensor& input);
#include "td/ops/pointwise/unary_any.def"
#include "td/ops/pointwise/unary_float.def"
#undef UNARY
/// @}

/// @name Operations: one declaration each in ops/functions.def
/// @{
#define AUTOCAST_METHOD(R, name, params, args) \
  inline R name(const Tensor& input TD_AND params) { return input.name args; }
#define MEMBER AUTOCAST_METHOD
#define FUNCTION(R, name, params) R name params;
#define AUTOCAST_FUNCTION(R, name, params, args)                                            \
  R name##_impl params;                                                                     \
  inline R name params {                                                                    \
    if (autocast::active()) [[unlikely]]                                                    \
      return autocast::run(autocast::rule(#name),                                           \
                           [](const auto&... a) { return name##_impl(a...); } TD_AND args); \
    return name##_impl args;                                                                \
  }
#include "td/ops/functions.def"
inline Tensor detach(const Tensor& input) { return input.detach(); }
inline Tensor broadcast_to(const Tensor& input, IntArrayRef size) { return input.expand(size); }
/// The larger or smaller of two elements: maximum and minimum under their older names.
inline Tensor max(const Tensor& input, const Tensor& other) { return maximum(input, other); }
inline Tensor min(const Tensor& input, const Tensor& other) { return minimum(input, other); }
/// With a bool alone, of all elements; any other number is a dimension.
Tensor var(const Tensor& input, std::same_as<bool> auto unbiased) { return input.var(unbiased); }
/// With a bool alone, of all elements.
Tensor std(const Tensor& input, std::same_as<bool> auto unbiased) { return input.std(unbiased); }
/// @}

/// @name Operators
/// @{
inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator+(const Tensor& a, const Scalar& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Scalar& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Scalar& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Scalar& b) { return div(a, b); }
inline Tensor operator+(const Scalar& a, const Tensor& b) { return add(b, a); }
Tensor operator-(const Scalar& a, const Tensor& b);
inline Tensor operator*(const Scalar& a, const Tensor& b) { return mul(b, a); }
Tensor operator/(const Scalar& a, const Tensor& b);
#define TD_COMPARE(symbol, name, mirrored)                                               \
  inline Tensor operator symbol(const Tensor& a, const Tensor& b) { return name(a, b); } \
  inline Tensor operator symbol(const Tensor& a, const Scalar& b) { return name(a, b); } \
  inline Tensor operator symbol(const Scalar& a, const Tensor& b) { return mirrored(b, a); }
TD_COMPARE(==, eq, eq)
TD_COMPARE(!=, ne, ne)
TD_COMPARE(<, lt, gt)
TD_COMPARE(<=, le, ge)
TD_COMPARE(>, gt, lt)
TD_COMPARE(>=, ge, le)
#undef TD_COMPARE
/// Of bool tensors, or bit by bit of integers. @throws DtypeError for real numbers.
Tensor operator&(const Tensor& a, const Tensor& b);
Tensor operator|(const Tensor& a, const Tensor& b);
Tensor operator&(const Tensor& a, const Scalar& b);
Tensor operator|(const Tensor& a, const Scalar& b);
Tensor operator~(const Tensor& a);
/// @}

/// Prints as PyTorch does: ``tensor([1., 2.], device='cuda:0', grad_fn=<AddBackward0>)``.
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace td
