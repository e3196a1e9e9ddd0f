// Views and conversions as functions: each is the method of the same name (tensor.h says more).
// Part of ops.h.
#pragma once

#include "td/tensor/tensor.h"

namespace td {

inline Tensor reshape(const Tensor& input, IntArrayRef shape) { return input.reshape(shape); }
inline Tensor flatten(const Tensor& input, std::int64_t start_dim = 0, std::int64_t end_dim = -1) {
  return input.flatten(start_dim, end_dim);
}
inline Tensor transpose(const Tensor& input, std::int64_t dim0, std::int64_t dim1) {
  return input.transpose(dim0, dim1);
}
inline Tensor t(const Tensor& input) { return input.t(); }
inline Tensor permute(const Tensor& input, IntArrayRef dims) { return input.permute(dims); }
inline Tensor slice(const Tensor& input, std::int64_t dim = 0,
                    optional<std::int64_t> start = nullopt, optional<std::int64_t> end = nullopt,
                    std::int64_t step = 1) {
  return input.slice(dim, start, end, step);
}
inline Tensor select(const Tensor& input, std::int64_t dim, std::int64_t index) {
  return input.select(dim, index);
}
inline Tensor narrow(const Tensor& input, std::int64_t dim, std::int64_t start,
                     std::int64_t length) {
  return input.narrow(dim, start, length);
}
inline Tensor squeeze(const Tensor& input) { return input.squeeze(); }
inline Tensor squeeze(const Tensor& input, std::int64_t dim) { return input.squeeze(dim); }
inline Tensor unsqueeze(const Tensor& input, std::int64_t dim) { return input.unsqueeze(dim); }
inline Tensor broadcast_to(const Tensor& input, IntArrayRef size) { return input.expand(size); }
inline TensorList chunk(const Tensor& input, std::int64_t chunks, std::int64_t dim = 0) {
  return input.chunk(chunks, dim);
}
inline TensorList split(const Tensor& input, std::int64_t split_size, std::int64_t dim = 0) {
  return input.split(split_size, dim);
}
inline TensorList split(const Tensor& input, IntArrayRef split_sizes, std::int64_t dim = 0) {
  return input.split(split_sizes, dim);
}
inline TensorList unbind(const Tensor& input, std::int64_t dim = 0) { return input.unbind(dim); }
inline Tensor clone(const Tensor& input, MemoryFormat format = MemoryFormat::Preserve) {
  return input.clone(format);
}
inline Tensor detach(const Tensor& input) { return input.detach(); }

}  // namespace td
