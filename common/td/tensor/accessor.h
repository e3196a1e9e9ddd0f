// Elements of a cpu tensor by their indices: `auto x = t.accessor<float, 2>(); x[i][j] = 1;`.
// Cheap to copy; valid while the tensor lives and keeps its geometry. Made by Tensor::accessor.
#pragma once

#include "td/base/sizes.h"

namespace td {

/// What all accessors know of their tensor: the first element, and N sizes and strides.
template <class T, std::size_t N>
class TensorAccessorBase {
 public:
  TensorAccessorBase(T* data, const std::int64_t* sizes, const std::int64_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  /// Sizes of the dimensions that are left.
  IntArrayRef sizes() const { return {sizes_, N}; }
  /// Their strides, in elements.
  IntArrayRef strides() const { return {strides_, N}; }
  /// One size.
  std::int64_t size(std::size_t dim) const { return sizes_[dim]; }
  /// One stride.
  std::int64_t stride(std::size_t dim) const { return strides_[dim]; }
  /// The first element.
  T* data() const { return data_; }

 protected:
  T* data_;                      ///< the first element
  const std::int64_t* sizes_;    ///< N of them, the tensor's own
  const std::int64_t* strides_;  ///< as many, in elements
};

/// N dimensions; [] leads to one less. Indices are not checked.
template <class T, std::size_t N>
class TensorAccessor : public TensorAccessorBase<T, N> {
 public:
  using TensorAccessorBase<T, N>::TensorAccessorBase;
  TensorAccessor<T, N - 1> operator[](std::int64_t i) const {
    return {this->data_ + i * this->strides_[0], this->sizes_ + 1, this->strides_ + 1};
  }
};
/// The last dimension: [] is an element.
template <class T>
class TensorAccessor<T, 1> : public TensorAccessorBase<T, 1> {
 public:
  using TensorAccessorBase<T, 1>::TensorAccessorBase;
  T& operator[](std::int64_t i) const { return this->data_[i * this->strides_[0]]; }
};

}  // namespace td
