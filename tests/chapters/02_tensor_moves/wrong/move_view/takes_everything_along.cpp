// expect: every second column of 31 rows to cpu: its elements take 4092 bytes, but
// Right values. Moves all the memory between the first element and the last, gaps included.
#include "exercises.h"

td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  std::int64_t span = 1;
  bool none = false;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    none = none || sizes[d] == 0;
    span += (sizes[d] - 1) * strides[d];
  }
  if (none) return td::empty(sizes, td::device(device));
  const td::Tensor all = td::empty({span}, td::device(device));
  td::Tensor(all).copy_(td::from_blob(const_cast<float*>(data), {span}));
  return all.as_strided(sizes, strides);
}
