// Elements of a cpu tensor by their indices: `auto x = t.accessor<float, 2>(); x[i][j] = 1;`.
// Cheap to copy; valid while the tensor lives and keeps its geometry. Made by Tensor::accessor.
#pragma once

#include "td/base/sizes.h"

namespace td {

/// N dimensions of elements; [] gives an accessor of one dimension less or, for the last dimension,
/// an element. Indices are not checked.
template <class T, std::size_t N>
class TensorAccessor {
 public:
  TensorAccessor(T* data, const std::int64_t* sizes, const std::int64_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  decltype(auto) operator[](std::int64_t i) const {
    T* const at = data_ + i * strides_[0];
    if constexpr (N == 1)
      return (*at);
    else
      return TensorAccessor<T, N - 1>(at, sizes_ + 1, strides_ + 1);
  }
  IntArrayRef sizes() const { return {sizes_, N}; }      ///< of the dimensions that are left
  IntArrayRef strides() const { return {strides_, N}; }  ///< of the same, in elements
  std::int64_t size(std::size_t dim) const { return sizes_[dim]; }      ///< one size
  std::int64_t stride(std::size_t dim) const { return strides_[dim]; }  ///< one stride
  T* data() const { return data_; }                                     ///< the first element

 private:
  T* data_;
  const std::int64_t* sizes_;    // N of them, the tensor's own
  const std::int64_t* strides_;  // as many, in elements
};

}  // namespace td
