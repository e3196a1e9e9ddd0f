// expect: matrix on cpu after the host's memory was overwritten
// On the cpu it copies nothing, so it returns a view of the caller's memory.
#include "exercises.h"

td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  const auto view = td::from_blob(const_cast<float*>(data), sizes, strides);
  if (device.is_cpu()) return view;
  return td::empty(sizes, td::device(device)).copy_(view.contiguous());
}
