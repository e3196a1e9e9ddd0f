// expect: after the host's memory was overwritten
// Returns the packed tensor of the view itself on the cpu, if it happens to be contiguous.
#include "exercises.h"

td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  const auto view = td::from_blob(const_cast<float*>(data), sizes, strides);
  const auto packed = view.contiguous();
  if (packed.data_ptr() == view.data_ptr() && device.is_cpu()) return packed;
  return td::from_blob(const_cast<float*>(data), sizes, strides).contiguous().to(device);
}
