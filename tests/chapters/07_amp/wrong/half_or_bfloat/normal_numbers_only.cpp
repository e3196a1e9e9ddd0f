// expect: 2^-24, the smallest float16 on cpu: expected
// Takes 2^-14 for the smallest number. Subnormal numbers reach down to 2^-24.
#include "exercises.h"

td::ScalarType half_or_bfloat(const td::Tensor& values) {
  const td::Tensor size = values.abs();
  const td::Tensor overflow = (size >= 65520.0) & td::isfinite(values);
  const td::Tensor vanished = (size < 6.103515625e-05) & (values != 0);
  return (overflow | vanished).any().item<bool>() ? td::kBFloat16 : td::kFloat16;
}
