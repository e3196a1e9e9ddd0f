// Division with a rounding mode, remainders and powers in their other forms: with numbers, in
// place. The functions themselves are lines of tensor/binary*.def.
#include "td/ops/op.h"

namespace td {
namespace {

// Puts the result of an operation into `self`, which is changed in place.
void keep(const char* op, const Tensor& self, const Tensor& result) {
  TD_CHECK(DtypeError, can_cast(result.dtype(), self.dtype()), op, ": a result of type ",
           result.dtype(), " cannot be kept in a tensor of type ", self.dtype(),
           "; convert it first with to(dtype)");
  TD_CHECK(ShapeError, result.sizes() == self.sizes(), op, ": a result of sizes ", result.sizes(),
           " does not fit into \"input\" of sizes ", self.sizes(), ", which is changed in place");
  self.copy_(result);
}

// What the operation reads while `self` changes: when recorded, a copy, so that the gradient finds
// the old values.
Tensor before_change(const Tensor& self, const Tensor& other) {
  return recording(self, other) ? self.clone() : self;
}

}  // namespace

Tensor div(const Tensor& input, const Tensor& other, optional<std::string_view> rounding_mode) {
  if (!rounding_mode) return div(input, other);
  if (*rounding_mode == "trunc") return div_trunc(input, other);
  TD_CHECK(Error, *rounding_mode == "floor",
           "div: the rounding mode must be \"trunc\" or \"floor\"", " but is \"", *rounding_mode,
           "\"");
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
  keep("div_", *this, td::div(before_change(*this, other), other, rounding_mode));
  return handle();
}
Tensor& Tensor::div_(const Scalar& other, optional<std::string_view> rounding_mode) const {
  return div_(wrapped_number(other), rounding_mode);
}
Tensor& Tensor::remainder_(const Tensor& other) const {
  keep("remainder_", *this, td::remainder(before_change(*this, other), other));
  return handle();
}
Tensor& Tensor::remainder_(const Scalar& other) const { return remainder_(wrapped_number(other)); }
Tensor& Tensor::pow_(const Tensor& exponent) const {
  keep("pow_", *this, td::pow(before_change(*this, exponent), exponent));
  return handle();
}
Tensor& Tensor::pow_(const Scalar& exponent) const {
  keep("pow_", *this, td::pow(before_change(*this, *this), exponent));
  return handle();
}

}  // namespace td
