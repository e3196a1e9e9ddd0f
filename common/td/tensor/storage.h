// The bytes behind one or several tensors, and where they live. Views share a Storage; the last
// one gives the bytes back to the device's allocator.
#pragma once

#include <atomic>
#include <functional>

#include "td/base/intrusive_ptr.h"
#include "td/base/slab.h"
#include "td/device/device.h"

namespace td {

class Allocator;

/// A block of memory on one device, shared by the tensors that view it.
class Storage : public RefCounted, public Slabbed {
 public:
  /// Takes `bytes` from the device's allocator, for the current stream.
  Storage(Device device, std::size_t bytes, Allocator& from);
  /// Borrows `data`; `deleter` (may be empty) is called when the last tensor is gone.
  Storage(Device device, void* data, std::size_t bytes, std::function<void(void*)> deleter);
  ~Storage() override;

  /// Where it is.
  ///@{
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  Device device() const { return device_; }
  ///@}
  /// Counts in-place changes; a saved tensor compares it to tell that its value is gone.
  std::uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  /// Counts one more. Changes that two threads make at once may count as one; it still counts.
  void bump_version() { version_.store(version() + 1, std::memory_order_relaxed); }
  /// False for memory that somebody else owns (from_blob).
  bool owns_memory() const { return allocator_ != nullptr; }
  /// True once a tensor that was there before its graph (a leaf, or one changed in place) requires
  /// a gradient: views of it that were made before, and not recorded, do not know.
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
  std::function<void(void*)>* deleter_ = nullptr;  // rare, so kept out of the common size
};

/// A new block on `device`. @throws OutOfMemoryError
intrusive_ptr<Storage> make_storage(Device device, std::size_t bytes, bool pinned = false);

}  // namespace td
