// expect: a transposed matrix of 2 rows and 3 columns to cpu: index 1: expected 3.5, got 1.5
// Copies memory in its own order: right for contiguous tensors, a scrambled image for all others.
#include "exercises.h"

td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>&, td::Device device) {
  const auto host = td::from_blob(const_cast<float*>(data), sizes);
  return td::empty(sizes, td::device(device)).copy_(host);
}
