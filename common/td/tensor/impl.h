// What a Tensor handle points at: geometry over a Storage, plus the autograd layer's own record.
// Made by every operation, so it is one slab block and its lists are in place.
#pragma once

#include "td/base/sizes.h"
#include "td/tensor/options.h"
#include "td/tensor/storage.h"

namespace td {

/// Where a view was made that its base's graph knows nothing of.
enum class Unrecorded : std::uint8_t { no, no_grad, inference, function };

/// What a Tensor points to: geometry, type and place of its elements.
struct TensorImpl : public RefCounted, public Slabbed {
  TensorImpl(intrusive_ptr<Storage> memory, ScalarType type)
      : storage(std::move(memory)), dtype(type), device(storage->device()) {}

  intrusive_ptr<Storage> storage;  ///< the memory, shared by views
  std::int64_t offset = 0;         ///< of the first element, in elements
  std::int64_t numel = 1;          ///< number of elements
  Sizes sizes;                     ///< by dimension
  Sizes strides;                   ///< in elements
  ScalarType dtype;                ///< type of an element
  Device device;                   ///< where the memory is
  bool contiguous = true;          ///< row-major without gaps; kept by set_geometry
  bool requires_grad = false;      ///< a leaf that wants a gradient, or a result of such
  bool wrapped_number = false;     ///< came from a C++ number: gives way in promotion
  bool inference = false;          ///< made under InferenceMode: never part of a graph
  /// @name Of an unrecorded view, which does not keep its base: that would keep the base's graph
  /// @{
  Unrecorded unrecorded = Unrecorded::no;  ///< where it was made
  bool of_graph = false;                   ///< its base required a gradient then
  bool was_in_graph = false;               ///< its storage was in_graph() then
  /// @}
  /// The autograd layer's AutogradMeta; empty for tensors no graph knows.
  intrusive_ptr<RefCounted> autograd;

  /// Sets sizes and strides and what follows from them.
  void set_geometry(const Sizes& new_sizes, const Sizes& new_strides);
  /// Sets sizes and the row-major strides.
  void set_contiguous(const Sizes& new_sizes);
};

/// Row-major strides of `sizes`.
Sizes contiguous_strides(IntArrayRef sizes);
/// NHWC strides of 4-dimensional `sizes` given as N, C, H, W.
Sizes channels_last_strides(IntArrayRef sizes);
/// `sizes` and `strides` describe elements in this order without gaps.
bool is_contiguous(IntArrayRef sizes, IntArrayRef strides);
/// The same for channels-last order of 4 dimensions.
bool is_channels_last(IntArrayRef sizes, IntArrayRef strides);
/// Strides that keep the order of `like`'s dimensions in memory, without gaps. Where they do not
/// tell, because they are 0, those of `second` (of as many dimensions, or none) do.
Sizes preserved_strides(IntArrayRef sizes, IntArrayRef like, IntArrayRef second = {});

}  // namespace td
