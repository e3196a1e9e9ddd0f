// half_or_bfloat: exercise 7.half_or_bfloat, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

td::ScalarType half_or_bfloat(const td::Tensor& values) {
  // blank: Round to float16, and ask once whether a value was lost. About 5 lines.
  const td::NoGradGuard no_grad;
  const td::Tensor half = values.to(td::kFloat16);
  const td::Tensor overflow = td::isinf(half) & td::isfinite(values);
  const td::Tensor vanished = (half == 0) & (values != 0);
  return (overflow | vanished).any().item<bool>() ? td::kBFloat16 : td::kFloat16;
  // end
}
