#include "exercises.h"

// answer: as_it_lies
// expect: a transposed matrix of 2 rows and 3 columns to cpu: index 1: expected 3.5, got 1.5
// Copies memory in its own order: right for contiguous tensors, a scrambled image for all others.
namespace as_it_lies {
td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>&, td::Device device) {
  const auto host = td::from_blob(const_cast<float*>(data), sizes);
  return td::empty(sizes, td::device(device)).copy_(host);
}
}  // namespace as_it_lies

// answer: gathers_on_the_device
// expect: every second column of 31 rows to sim:0: expected 1 transfer of 4092 bytes
// Moves the whole span, and gathers on the device: right values, small result, too many bytes.
namespace gathers_on_the_device {
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
}  // namespace gathers_on_the_device

// answer: keeps_the_hosts_memory
// expect: matrix on cpu after the host's memory was overwritten
// On the cpu it copies nothing, so it returns a view of the caller's memory.
namespace keeps_the_hosts_memory {
td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  const auto view = td::from_blob(const_cast<float*>(data), sizes, strides);
  if (device.is_cpu()) return view;
  return td::empty(sizes, td::device(device)).copy_(view.contiguous());
}
}  // namespace keeps_the_hosts_memory

// answer: matrices_only
// expect: other numbers of dimensions
// Right on the README's example: two loops, for rows and columns, and nothing else.
namespace matrices_only {
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
}  // namespace matrices_only

// answer: one_by_one
// expect: expected 1 transfer of
// Right values, a transfer for every row: ten microseconds each.
namespace one_by_one {
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
}  // namespace one_by_one

// answer: repeats_on_the_device
// expect: a row that is shown 33 times to cpu: the result should be contiguous
// Moves a repeated row once and repeats it on the device as a view: not contiguous.
namespace repeats_on_the_device {
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
}  // namespace repeats_on_the_device

// answer: takes_everything_along
// expect: every second column of 31 rows to cpu: its elements take 4092 bytes, but
// Right values. Moves all the memory between the first element and the last, gaps included.
namespace takes_everything_along {
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
}  // namespace takes_everything_along

// answer: window_on_the_vector
// expect: after the host's memory was overwritten
// Returns the packed tensor of the view itself on the cpu, if it happens to be contiguous.
namespace window_on_the_vector {
td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  const auto view = td::from_blob(const_cast<float*>(data), sizes, strides);
  const auto packed = view.contiguous();
  if (packed.data_ptr() == view.data_ptr() && device.is_cpu()) return packed;
  return td::from_blob(const_cast<float*>(data), sizes, strides).contiguous().to(device);
}
}  // namespace window_on_the_vector

// answer: numbers_as_they_are
// expect: a single number on cpu after the host's memory was overwritten
// A number has nothing to pack, so it returns a view of the caller's memory on the cpu.
namespace numbers_as_they_are {
td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  const td::Tensor view = td::from_blob(const_cast<float*>(data), sizes, strides);
  if (sizes.empty()) return view.to(device);
  return view.clone(td::MemoryFormat::Contiguous).to(device);
}
}  // namespace numbers_as_they_are

// answer: reads_the_gaps
// expect: two rows with a gap between them to cpu: memory was read where the view has no element
// Copies all memory from the first to the last element first.
namespace reads_the_gaps {
td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return td::empty(sizes, device);
    last += (sizes[d] - 1) * strides[d];
  }
  std::vector<float> memory(data, data + last + 1);
  return td::from_blob(memory.data(), sizes, strides)
      .clone(td::MemoryFormat::Contiguous)
      .to(device);
}
}  // namespace reads_the_gaps

// answer: reads_a_first_element
// expect: a view without elements to cpu: memory was read where the view has no element
// Takes for granted that there is a first element.
namespace reads_a_first_element {
td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  const td::Tensor host = td::full(sizes, data[0]);
  float* const out = host.data_ptr<float>();
  for (std::int64_t i = 1; i < host.numel(); ++i) {
    std::int64_t rest = i, at = 0;
    for (std::size_t d = sizes.size(); d-- > 0; rest /= sizes[d])
      at += rest % sizes[d] * strides[d];
    out[i] = data[at];
  }
  return device.is_cpu() ? host : host.to(device);
}
}  // namespace reads_a_first_element
