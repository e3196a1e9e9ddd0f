// The functions of binary_integer.def (quotients without a fraction, remainders), division with a
// rounding mode, and their forms for numbers and in place; also pow in place.
#include "td/ops/pointwise/binary.h"

#include "td/kernels/pointwise.h"
#include "td/ops/pointwise/integer_math.h"

namespace td {
namespace {

#define BINARY(...) TD_BINARY_OP(__VA_ARGS__)
#include "td/ops/pointwise/binary_integer.def"
#undef BINARY

// Puts the result of an operation into `self`, which is changed in place.
void keep(const char* op, const Tensor& self, const Tensor& result) {
  check_can_keep(op, result.dtype(), self);
  TD_CHECK(ShapeError, result.sizes() == self.sizes(), op, "_: a result of sizes ", result.sizes(),
           " does not fit into \"input\" of sizes ", self.sizes(), ", which is changed in place");
  self.copy_(result);
}

// What the operation reads while `self` changes: when recorded, a copy, so that the gradient finds
// the old values.
Tensor before_change(const Tensor& self, const Tensor& other) {
  return recording(self, other) ? self.clone() : self;
}

}  // namespace

#define BINARY(name, ...) \
  Tensor name(const Tensor& input, const Tensor& other) { return binary(name##_op, input, other); }
#include "td/ops/pointwise/binary_integer.def"
#undef BINARY

Tensor div(const Tensor& input, const Tensor& other, optional<std::string_view> rounding_mode) {
  if (!rounding_mode) return div(input, other);
  if (*rounding_mode == "trunc") return div_trunc(input, other);
  TD_CHECK(Error, *rounding_mode == "floor",
           "div: the rounding mode must be \"trunc\" or \"floor\" but is \"", *rounding_mode, "\"");
  return div_floor(input, other);
}
Tensor div(const Tensor& input, const Scalar& other, optional<std::string_view> rounding_mode) {
  return div(input, wrapped_number(other), rounding_mode);
}
Tensor remainder(const Tensor& input, const Scalar& other) {
  return remainder(input, wrapped_number(other));
}
Tensor remainder(const Scalar& input, const Tensor& other) {
  return remainder(wrapped_number(input), other);
}

Tensor& Tensor::div_(const Tensor& other, optional<std::string_view> rounding_mode) const {
  keep("div", *this, td::div(before_change(*this, other), other, rounding_mode));
  return handle();
}
Tensor& Tensor::div_(const Scalar& other, optional<std::string_view> rounding_mode) const {
  return div_(wrapped_number(other), rounding_mode);
}
Tensor& Tensor::remainder_(const Tensor& other) const {
  keep("remainder", *this, td::remainder(before_change(*this, other), other));
  return handle();
}
Tensor& Tensor::remainder_(const Scalar& other) const { return remainder_(wrapped_number(other)); }
Tensor& Tensor::pow_(const Tensor& exponent) const {
  keep("pow", *this, td::pow(before_change(*this, exponent), exponent));
  return handle();
}
Tensor& Tensor::pow_(const Scalar& exponent) const {
  keep("pow", *this, td::pow(before_change(*this, *this), exponent));
  return handle();
}

}  // namespace td
