// expect: expected 1 transfer of
// Right values, a transfer for every row: ten microseconds each.
#include "exercises.h"

td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  td::Tensor moved = td::empty(sizes, td::device(device));
  if (sizes.empty()) return moved.fill_(*data);
  const std::vector<std::int64_t> inner(sizes.begin() + 1, sizes.end());
  const std::vector<std::int64_t> steps(strides.begin() + 1, strides.end());
  for (std::int64_t i = 0; i < sizes[0]; ++i)
    moved.select(0, i).copy_(
        td::from_blob(const_cast<float*>(data) + i * strides[0], inner, steps).contiguous());
  return moved;
}
