// Views and conversions as functions: each is the method of the same name (tensor.h says more).
// Part of ops.h.
#pragma once

#include "td/tensor/tensor.h"

namespace td {

/// @name Methods of Tensor as functions
/// Each is the method of the same name.
/// @{
/// The same elements in other sizes; -1 stands for what is left.
inline Tensor reshape(const Tensor& input, IntArrayRef shape) { return input.reshape(shape); }
/// Dimensions start_dim to end_dim as one.
inline Tensor flatten(const Tensor& input, std::int64_t start_dim = 0, std::int64_t end_dim = -1) {
  return input.flatten(start_dim, end_dim);
}
/// Two dimensions exchanged.
inline Tensor transpose(const Tensor& input, std::int64_t dim0, std::int64_t dim1) {
  return input.transpose(dim0, dim1);
}
/// A matrix transposed.
inline Tensor t(const Tensor& input) { return input.t(); }
/// Dimensions in another order.
inline Tensor permute(const Tensor& input, IntArrayRef dims) { return input.permute(dims); }
/// Every step-th index from start to before end of a dimension.
inline Tensor slice(const Tensor& input, std::int64_t dim = 0,
                    optional<std::int64_t> start = nullopt, optional<std::int64_t> end = nullopt,
                    std::int64_t step = 1) {
  return input.slice(dim, start, end, step);
}
/// One index of a dimension, which is gone.
inline Tensor select(const Tensor& input, std::int64_t dim, std::int64_t index) {
  return input.select(dim, index);
}
/// `length` indices of a dimension from `start` on.
inline Tensor narrow(const Tensor& input, std::int64_t dim, std::int64_t start,
                     std::int64_t length) {
  return input.narrow(dim, start, length);
}
/// Without dimensions of size 1, or without one of them.
inline Tensor squeeze(const Tensor& input) { return input.squeeze(); }
/// Without dimensions of size 1, or without one of them.
inline Tensor squeeze(const Tensor& input, std::int64_t dim) { return input.squeeze(dim); }
/// With a new dimension of size 1.
inline Tensor unsqueeze(const Tensor& input, std::int64_t dim) { return input.unsqueeze(dim); }
/// Sizes of 1 repeated to `size`; no memory is used.
inline Tensor broadcast_to(const Tensor& input, IntArrayRef size) { return input.expand(size); }
/// At most `chunks` parts of equal size, the last one smaller.
inline TensorList chunk(const Tensor& input, std::int64_t chunks, std::int64_t dim = 0) {
  return input.chunk(chunks, dim);
}
/// Parts of the given size or sizes along a dimension.
inline TensorList split(const Tensor& input, std::int64_t split_size, std::int64_t dim = 0) {
  return input.split(split_size, dim);
}
/// Parts of the given size or sizes along a dimension.
inline TensorList split(const Tensor& input, IntArrayRef split_sizes, std::int64_t dim = 0) {
  return input.split(split_sizes, dim);
}
/// The slices of a dimension.
inline TensorList unbind(const Tensor& input, std::int64_t dim = 0) { return input.unbind(dim); }
/// A copy with memory of its own.
inline Tensor clone(const Tensor& input, MemoryFormat format = MemoryFormat::Preserve) {
  return input.clone(format);
}
/// The same values outside the graph.
inline Tensor detach(const Tensor& input) { return input.detach(); }
/// @}

}  // namespace td
