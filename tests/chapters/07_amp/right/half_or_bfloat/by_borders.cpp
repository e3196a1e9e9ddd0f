// Compares magnitudes with the two borders of float16.
#include "exercises.h"

td::ScalarType half_or_bfloat(const td::Tensor& values) {
  const td::Tensor size = values.detach().abs();
  const td::Tensor too_large = (size >= 65520.0) & (size != std::numeric_limits<float>::infinity());
  const td::Tensor too_small = (size <= 0x1p-25) & (size > 0.0);
  const td::Tensor lost = (too_large | too_small).to(td::kFloat32).sum();
  return lost.item<float>() > 0 ? td::kBFloat16 : td::kFloat16;
}
