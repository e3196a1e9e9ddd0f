// expect: other numbers of dimensions
// Right on the README's example: two loops, for rows and columns, and nothing else.
#include "exercises.h"

td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  const std::int64_t rows = sizes.empty() ? 1 : sizes[0];
  const std::int64_t columns = sizes.size() < 2 ? 1 : sizes[1];
  std::vector<float> elements;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      elements.push_back(
          data[(sizes.empty() ? 0 : i * strides[0]) + (sizes.size() < 2 ? 0 : j * strides[1])]);
  std::vector<std::int64_t> found = {rows, columns};
  found.resize(sizes.size() < 2 ? sizes.size() : 2);
  return td::empty(found, td::device(device)).copy_(td::from_blob(elements.data(), found));
}
