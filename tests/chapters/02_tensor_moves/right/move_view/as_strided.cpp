// A view of the host memory does the gathering: a contiguous clone of it moves.
#include "exercises.h"

td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  const td::Tensor view = td::from_blob(const_cast<float*>(data), sizes, strides);
  const td::Tensor packed = view.clone(td::MemoryFormat::Contiguous);
  return packed.to(device);
}
