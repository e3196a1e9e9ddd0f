// Copies all values to the host once, and looks at them there.
#include <cmath>

#include "exercises.h"

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
