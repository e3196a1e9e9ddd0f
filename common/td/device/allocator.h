// Memory for tensors, cached and reused. `allocate` returns a block for the current stream of this
// thread. A released block may serve the same stream immediately, because work there runs in order;
// if record_stream named other streams, it first waits for their events.
#pragma once

#include <cstddef>

#include "td/base/host_memory.h"
#include "td/device/stream.h"

namespace td {

/// One device's memory.
class Allocator {
 public:
  virtual ~Allocator() = default;
  /// A block of at least `bytes` (nullptr for 0) for work on the current stream, aligned to 64.
  /// @throws OutOfMemoryError with the device, the size asked for, and where the memory is.
  virtual void* allocate(std::size_t bytes) = 0;
  /// Releases a block; `bytes` is the size it was allocated with.
  virtual void release(void* block, std::size_t bytes) noexcept = 0;
  /// `stream` uses the block too: it is reused only after the work that stream holds at release.
  virtual void record_stream(void* block, const Stream& stream) = 0;
  /// The counters now.
  virtual MemoryStats stats() const = 0;
  /// Resets the peak to what is allocated now.
  virtual void reset_peak() = 0;
  /// Returns cached blocks to the device.
  virtual void empty_cache() = 0;
};

/// The allocator of a device (index filled in; see check_device).
Allocator& allocator(Device device);
/// Pinned (page-locked) host memory, with its own cache; reused when the copies that use it are
/// done. `type` is the accelerator kind it is pinned for (td::pin_memory takes the best there is).
Allocator& pinned_allocator(DeviceType type);
/// True for memory from pinned_allocator.
bool is_pinned_memory(const void* data);
/// `stream` uses the pinned block that holds `memory`, whichever kind it is pinned for: its
/// allocator waits for the stream before it reuses the block. Does nothing for other memory.
void record_pinned_stream(void* memory, const Stream& stream);

/// Statistics of a device's memory, as torch.cuda.memory_stats gives them.
MemoryStats memory_stats(Device device);
/// Returns the cached blocks of every device, and of pinned memory, to their devices.
void empty_cache();

}  // namespace td
