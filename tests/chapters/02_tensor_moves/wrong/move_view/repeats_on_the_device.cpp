// expect: a row that is shown 33 times to cpu: the result should be contiguous
// Moves a repeated row once and repeats it on the device as a view: not contiguous.
#include "exercises.h"

td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (strides[d] != 0 || sizes[d] < 2) continue;
    auto once = sizes;
    once[d] = 1;
    return move_view(data, once, strides, device).expand(sizes);
  }
  const auto view = td::from_blob(const_cast<float*>(data), sizes, strides);
  return td::empty(sizes, td::device(device)).copy_(view.clone(td::MemoryFormat::Contiguous));
}
