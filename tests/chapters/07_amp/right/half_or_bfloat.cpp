#include "exercises.h"

#include <cmath>

// answer: by_borders
// Compares magnitudes with the two borders of float16.
namespace by_borders {
td::ScalarType half_or_bfloat(const td::Tensor& values) {
  const td::Tensor size = values.detach().abs();
  const td::Tensor too_large = (size >= 65520.0) & (size != std::numeric_limits<float>::infinity());
  const td::Tensor too_small = (size <= 0x1p-25) & (size > 0.0);
  const td::Tensor lost = (too_large | too_small).to(td::kFloat32).sum();
  return lost.item<float>() > 0 ? td::kBFloat16 : td::kFloat16;
}
}  // namespace by_borders

// answer: on_the_host
// Copies all values to the host once, and looks at them there.
namespace on_the_host {
td::ScalarType half_or_bfloat(const td::Tensor& values) {
  const td::Tensor host = values.detach().cpu().contiguous();
  const float* data = host.data_ptr<float>();
  for (std::int64_t i = 0; i < host.numel(); ++i) {
    const float size = std::fabs(data[i]);
    if (std::isfinite(size) && size >= 65520) return td::kBFloat16;
    if (size > 0 && size <= 0x1p-25f) return td::kBFloat16;
  }
  return td::kFloat16;
}
}  // namespace on_the_host
