// What a Tensor handle points at: a TensorImpl, which is geometry over a Storage, which owns bytes.
// Views share a Storage; the last one returns the bytes to the device's allocator. Every operation
// makes a TensorImpl, so it is one small block and its lists are in place.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "td/base/objects.h"
#include "td/base/sizes.h"
#include "td/device/device.h"
#include "td/tensor/dtype.h"

namespace td {

class Allocator;

/// A block of memory on one device, shared by the tensors that view it.
class Storage : public RefCounted, public PooledObject {
 public:
  /// Takes `bytes` from the device's allocator, for the current stream.
  Storage(Device device, std::size_t bytes, Allocator& from);
  /// Borrows `data`; `deleter` (may be empty) is called when the last tensor is gone.
  Storage(Device device, void* data, std::size_t bytes, std::function<void(void*)> deleter);
  ~Storage() override;

  void* data() const { return data_; }          ///< where it begins
  std::size_t bytes() const { return bytes_; }  ///< how large it is
  Device device() const { return device_; }     ///< on which device it is
  /// Counts in-place changes; a saved tensor compares it to detect that its value was changed.
  std::uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  /// Counts one more. Changes that two threads make at the same time may count as one.
  void bump_version() { version_.store(version() + 1, std::memory_order_relaxed); }
  /// False for memory that the caller owns (from_blob).
  bool owns_memory() const { return allocator_ != nullptr; }
  /// True once a tensor that existed before its graph (a leaf, or one changed in place) requires
  /// grad: views of it that were made before, and not recorded, have no part in the graph.
  bool in_graph() const { return in_graph_.load(std::memory_order_relaxed); }
  /// Called when that happens; it stays so.
  void set_in_graph() { in_graph_.store(true, std::memory_order_relaxed); }
  /// Exchanges the memory of two storages of one device; the handles on them stay (see resize_).
  void swap_memory(Storage& other);

 private:
  void* data_;
  std::size_t bytes_;
  Allocator* allocator_ = nullptr;
  Device device_;
  std::atomic<std::uint32_t> version_{0};
  std::atomic<bool> in_graph_{false};
  std::unique_ptr<std::function<void(void*)>> deleter_;  // rare, so kept out of the common size
};

/// A new block on `device`. @throws OutOfMemoryError
intrusive_ptr<Storage> make_storage(Device device, std::size_t bytes, bool pinned = false);

/// Where a view was made that is not part of its base's graph.
enum class Unrecorded : std::uint8_t { no, no_grad, inference, function };

/// What a Tensor points to: geometry, type and location of its elements.
struct TensorImpl : public RefCounted, public PooledObject {
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
  bool requires_grad = false;      ///< a leaf that requires grad, or a result of such
  bool wrapped_number = false;     ///< came from a C++ number: gives way in promotion
  bool inference = false;          ///< made under InferenceMode: never part of a graph
  /// @name Of an unrecorded view, which does not keep its base: that would keep the base's graph
  /// @{
  Unrecorded unrecorded = Unrecorded::no;  ///< where it was made
  bool of_graph = false;                   ///< its base required grad then
  bool was_in_graph = false;               ///< its storage was in_graph() then
  /// @}
  /// The autograd layer's AutogradMeta; empty for tensors that are in no graph.
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
/// Strides that keep the order of `like`'s dimensions in memory, without gaps. Where strides of
/// `like` are 0 and show no order, those of `second` (of as many dimensions, or none) decide.
/// Sizes [2, 3] like strides [1, 2] (columns are adjacent) give [1, 2]; like [0, 5] they give [3,
/// 1].
Sizes preserved_strides(IntArrayRef sizes, IntArrayRef like, IntArrayRef second = {});
/// `sizes` and `strides` describe elements that fill a block of memory without gaps, each once, in
/// any order of the dimensions.
bool is_dense(IntArrayRef sizes, IntArrayRef strides);

}  // namespace td
