// What max_pool.cu and max_pool_backward.cu share: where in its window each maximum is, as the
// forward pass saves it and the backward pass finds it again. Included by these two only.
#pragma once

#include "td/ops/pool/pool_shape.h"

namespace td {
namespace {

/// What max_pool2d saves an index in: one byte, or int32 for windows of more than 256 elements. It
/// is the index in the window, row * kernel width + column, because one in the image would need
/// four bytes, and the indices are a large part of what a training step saves for backward.
inline ScalarType index_type(const PoolWindow& window) {
  return window.kernel[0] * window.kernel[1] <= 256 ? kByte : kInt;
}

/// Where in its window the maximum of each output is, as a tensor of index_type holds it.
struct PoolIndices {
  void* data;  ///< nullptr: not wanted
  bool bytes;

  TD_HD std::int32_t operator[](std::int64_t i) const {
    return bytes ? static_cast<const std::uint8_t*>(data)[i]
                 : static_cast<const std::int32_t*>(data)[i];
  }
  TD_HD void set(std::int64_t i, std::int32_t index) const {
    if (bytes)
      static_cast<std::uint8_t*>(data)[i] = static_cast<std::uint8_t>(index);
    else
      static_cast<std::int32_t*>(data)[i] = index;
  }
};

struct MaxWindows : Windows {
  PoolIndices indices;

  TD_HD std::int32_t index_of(std::int64_t r, std::int64_t s) const {
    return static_cast<std::int32_t>(r * columns.kernel + s);
  }
  /// For the window that begins at this row and column, the index of its first element in the
  /// image, or of its first element where all of the window is outside.
  TD_HD std::int32_t first_index(std::int64_t row, std::int64_t column) const {
    return index_of(first_inside(rows, row), first_inside(columns, column));
  }
  TD_HD static std::int64_t first_inside(const Side& side, std::int64_t begin) {
    const std::int64_t skipped = begin < 0 ? (-begin + side.dilation - 1) / side.dilation : 0;
    return skipped < side.kernel ? skipped : 0;
  }
  /// Whether an element can be the maximum of two windows.
  TD_HD bool overlap() const { return rows.overlap() || columns.overlap(); }
  /// The position of an element. A window that has no element in the image gets the position
  /// nearest to that element.
  TD_HD std::int64_t at(std::int64_t oy, std::int64_t ox, std::int64_t index) const {
    const std::int64_t r = quotient(index, columns.kernel), s = index - r * columns.kernel;
    return nearest(rows, oy, r) * in.w + nearest(columns, ox, s);
  }
  TD_HD static std::int64_t nearest(const Side& side, std::int64_t output, std::int64_t element) {
    const std::int64_t i = side.begin(output) + element * side.dilation;
    return i < 0 ? 0 : i < side.size ? i : side.size - 1;
  }
};

/// @param indices may be undefined: not wanted.
inline MaxWindows windows_of(const PoolWindow& w, const Tensor& input, const Tensor& output,
                             const Tensor& indices, bool channels_last) {
  return {{w, input, output, channels_last}, {Pointer{indices}, index_type(w) == kByte}};
}

}  // namespace

/// Records y, which has the elements of x that `indices` choose.
void record_max_pool(const Tensor& y, const Tensor& x, const Tensor& indices, const PoolWindow& w);
/// Indices in the image x, int64, from the indices in the windows.
Tensor image_indices(const Tensor& x, const Tensor& in_windows, const PoolWindow& w);

}  // namespace td
