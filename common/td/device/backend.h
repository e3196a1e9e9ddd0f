// What a kind of device must be able to do: about 14 functions that know nothing of tensors.
// backends/{cpu,sim,cuda} implement it; the allocators and stream.cpp call it. To add a device:
// implement this in a folder of its own, add the line in device.h and the case in kernels/launch.h.
#pragma once

#include <cstddef>
#include <string>

#include "td/device/device.h"
#include "td/device/record.h"

namespace td {

/// The contract. Indices are valid device indices; `stream` is a native handle of that device,
/// nullptr for its default stream; events are native handles made by new_event.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Devices of this kind; 0 where there is no driver or hardware. Must not throw.
  virtual int device_count() const = 0;
  /// Why device_count is 0, as one sentence with the next step.
  virtual std::string why_none() const = 0;
  /// The name of the hardware.
  virtual std::string name(int index) const = 0;
  /// What an NVIDIA GPU can do, 90 for compute capability 9.0; 0 for all other devices.
  virtual int compute_capability(int) const { return 0; }
  /// Bytes the device has in all and bytes free now.
  virtual void memory(int index, std::size_t* free, std::size_t* total) const = 0;

  /// Device memory, aligned to 512 bytes; nullptr when full. Slow: the caching allocator calls it.
  virtual void* allocate(int index, std::size_t bytes) = 0;
  /// Gives back what allocate returned. Waits first for all queued work, which may use it.
  virtual void release(int index, void* memory) = 0;
  /// Host memory that the device reaches by itself (page-locked); nullptr when refused.
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  /// Gives back what allocate_pinned returned.
  virtual void release_pinned(void* memory) = 0;

  /// A stream that lives as long as the process.
  virtual void* new_stream(int index, bool high_priority) = 0;
  /// Copies in stream order. Either side may be host memory or memory of any device of this kind.
  /// Returns at once when both sides are device or pinned memory; a pageable source has been read,
  /// and a pageable target has been written, when it returns.
  virtual void copy(void* to, Device to_device, const void* from, Device from_device,
                    std::size_t bytes, int index, void* stream) = 0;
  /// Blocks until the stream (or, with all_streams, the device) is done. @throws AsyncError.
  virtual void synchronize(int index, void* stream, bool all_streams) = 0;
  /// True when all work on the stream is done. Does not block. @throws AsyncError, DeviceError
  virtual bool idle(int index, void* stream) = 0;

  /// Events: a mark in a stream that other streams and the host can wait for. An event never
  /// recorded is done. A wait already queued keeps the mark it saw when the event is recorded
  /// again.
  ///@{
  virtual void* new_event(int index, bool timing) = 0;
  virtual void release_event(void* event) = 0;
  virtual void record(void* event, int index, void* stream) = 0;
  virtual void wait(int index, void* stream, void* event) = 0;
  virtual bool done(void* event) = 0;  ///< @throws AsyncError, DeviceError
  /// The program, and not only an allocator, has learned that the event is done. For sim's race
  /// finder: from then on the host's work comes behind the event.
  virtual void host_saw(void*) {}
  virtual void synchronize_event(void* event) = 0;  ///< @throws AsyncError
  virtual double milliseconds(void* from, void* to) = 0;
  ///@}

  /// Queues a record (sim); cuda and cpu run records where they are launched and never call this.
  virtual void submit(const Record& record, int index, void* stream) = 0;
};

/// The backend of a kind. Never fails: a kind that is not built in has a backend with no devices.
Backend& backend(DeviceType type);

}  // namespace td
