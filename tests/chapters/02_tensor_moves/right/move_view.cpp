#include "exercises.h"

// answer: as_strided
// A view of the host memory does the gathering: a contiguous clone of it moves.
namespace as_strided {
td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  const td::Tensor view = td::from_blob(const_cast<float*>(data), sizes, strides);
  const td::Tensor packed = view.clone(td::MemoryFormat::Contiguous);
  return packed.to(device);
}
}  // namespace as_strided

// answer: odometer
// Counts the indices up like an odometer, and fills a tensor of the host directly.
namespace odometer {
td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  td::Tensor host = td::empty(sizes);
  std::vector<std::int64_t> index(sizes.size(), 0);
  for (std::int64_t i = 0; i < host.numel(); ++i) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) offset += index[d] * strides[d];
    host.data_ptr<float>()[i] = data[offset];
    for (std::size_t d = sizes.size(); d-- > 0 && ++index[d] == sizes[d];) index[d] = 0;
  }
  return host.to(td::check_device(device));
}
}  // namespace odometer
