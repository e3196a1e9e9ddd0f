// expect: infinities on cpu: expected
// An infinity in the values is no loss: float16 has one, too.
#include "exercises.h"

td::ScalarType half_or_bfloat(const td::Tensor& values) {
  const td::Tensor half = values.to(td::kFloat16);
  const td::Tensor vanished = (half == 0) & (values != 0);
  const td::Tensor lost = td::isinf(half) | vanished;
  return lost.any().item<bool>() ? td::kBFloat16 : td::kFloat16;
}
