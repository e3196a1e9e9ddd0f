// expect: the values after the call
// Rounds the values in place to look at them.
#include "exercises.h"

td::ScalarType half_or_bfloat(const td::Tensor& values) {
  const td::NoGradGuard no_grad;
  const td::Tensor before = values.clone();
  values.copy_(values.to(td::kFloat16));
  const td::Tensor lost =
      (td::isinf(values) & td::isfinite(before)) | ((values == 0) & (before != 0));
  return lost.any().item<bool>() ? td::kBFloat16 : td::kFloat16;
}
