// expect: every second column of 31 rows to sim:0: expected 1 transfer of 4092 bytes
// Moves the whole span, and gathers on the device: right values, small result, too many bytes.
#include "exercises.h"

td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  std::int64_t span = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return td::empty(sizes, td::device(device));
    span += (sizes[d] - 1) * strides[d];
  }
  const td::Tensor all = td::empty({span}, td::device(device));
  td::Tensor(all).copy_(td::from_blob(const_cast<float*>(data), {span}));
  return all.as_strided(sizes, strides).clone(td::MemoryFormat::Contiguous);
}
