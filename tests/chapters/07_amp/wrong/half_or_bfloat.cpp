#include "exercises.h"

// answer: afraid_of_infinity
// expect: infinities on cpu: expected
// An infinity in the values is no loss: float16 has one, too.
namespace afraid_of_infinity {
td::ScalarType half_or_bfloat(const td::Tensor& values) {
  const td::Tensor half = values.to(td::kFloat16);
  const td::Tensor vanished = (half == 0) & (values != 0);
  const td::Tensor lost = td::isinf(half) | vanished;
  return lost.any().item<bool>() ? td::kBFloat16 : td::kFloat16;
}
}  // namespace afraid_of_infinity

// answer: changes_the_values
// expect: the values after the call
// Rounds the values in place to look at them.
namespace changes_the_values {
td::ScalarType half_or_bfloat(const td::Tensor& values) {
  const td::NoGradGuard no_grad;
  const td::Tensor before = values.clone();
  values.copy_(values.to(td::kFloat16));
  const td::Tensor lost =
      (td::isinf(values) & td::isfinite(before)) | ((values == 0) & (before != 0));
  return lost.any().item<bool>() ? td::kBFloat16 : td::kFloat16;
}
}  // namespace changes_the_values

// answer: forgets_rounding
// expect: 65519, which is rounded to 65504 on cpu: expected
// Everything above 65504 is taken for too large, but rounding comes first.
namespace forgets_rounding {
td::ScalarType half_or_bfloat(const td::Tensor& values) {
  const td::Tensor size = values.abs();
  const td::Tensor overflow = (size > 65504.0) & td::isfinite(values);
  const td::Tensor vanished = (values.to(td::kFloat16) == 0) & (values != 0);
  return (overflow | vanished).any().item<bool>() ? td::kBFloat16 : td::kFloat16;
}
}  // namespace forgets_rounding

// answer: largest_only
// expect: {1, 1e-8} on cpu: expected
// Looks at the largest value. Small ones are lost, too: they become 0.
namespace largest_only {
td::ScalarType half_or_bfloat(const td::Tensor& values) {
  const td::Tensor half = values.to(td::kFloat16);
  const td::Tensor overflow = td::isinf(half) & td::isfinite(values);
  return overflow.any().item<bool>() ? td::kBFloat16 : td::kFloat16;
}
}  // namespace largest_only

// answer: normal_numbers_only
// expect: 2^-24, the smallest float16 on cpu: expected
// Takes 2^-14 for the smallest number. Subnormal numbers reach down to 2^-24.
namespace normal_numbers_only {
td::ScalarType half_or_bfloat(const td::Tensor& values) {
  const td::Tensor size = values.abs();
  const td::Tensor overflow = (size >= 65520.0) & td::isfinite(values);
  const td::Tensor vanished = (size < 6.103515625e-05) & (values != 0);
  return (overflow | vanished).any().item<bool>() ? td::kBFloat16 : td::kFloat16;
}
}  // namespace normal_numbers_only

// answer: value_by_value
// expect: the host read the device
// Right, and slow: two questions to the device where one would do.
namespace value_by_value {
td::ScalarType half_or_bfloat(const td::Tensor& values) {
  const td::Tensor half = values.to(td::kFloat16);
  if ((td::isinf(half) & td::isfinite(values)).any().item<bool>()) return td::kBFloat16;
  return ((half == 0) & (values != 0)).any().item<bool>() ? td::kBFloat16 : td::kFloat16;
}
}  // namespace value_by_value
