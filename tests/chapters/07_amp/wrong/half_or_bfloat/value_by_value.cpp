// expect: the host read the device
// Right, and slow: two questions to the device where one would do.
#include "exercises.h"

td::ScalarType half_or_bfloat(const td::Tensor& values) {
  const td::Tensor half = values.to(td::kFloat16);
  if ((td::isinf(half) & td::isfinite(values)).any().item<bool>()) return td::kBFloat16;
  return ((half == 0) & (values != 0)).any().item<bool>() ? td::kBFloat16 : td::kFloat16;
}
