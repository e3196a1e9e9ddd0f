// The contract between the core and a kind of device: functions that know nothing of tensors. The
// allocators, stream.cpp and the launch call it. backends/cpu and backends/cuda implement it, and
// so does any folder that registers a backend for its line of devices.def.
#pragma once

#include <cstddef>
#include <string>

#include "td/device/device.h"
#include "td/device/record.h"

namespace td {

class GraphBackend;

/// What a kind of device can do, with defaults that throw: a backend overrides what it has. Indices
/// are valid device indices; a stream is a native handle of that device, nullptr for its default
/// stream; events are native handles made by new_event.
class Backend {
 public:
  virtual ~Backend() = default;

  /// @name What there is
  /// @{
  /// Devices of this kind; 0 where there is no driver or hardware. Must not throw.
  virtual int device_count() const { return 0; }
  /// Why device_count is 0, as one sentence with the next step.
  virtual std::string unavailable_reason() const { return ""; }
  /// The end of a sentence, ", or ..." or empty: how to get `count` devices, or more memory.
  virtual std::string more_devices_hint(int) const { return ""; }
  virtual std::string more_memory_hint() const { return ""; }
  /// The name of the hardware.
  virtual std::string name(int) const { unsupported("name"); }
  /// The compute capability of an NVIDIA GPU, 90 for 9.0; 0 for all other devices.
  virtual int compute_capability(int) const { return 0; }
  /// Stores how many bytes are free now, and how many the device has in all.
  virtual void memory(int, std::size_t*, std::size_t*) const { unsupported("memory"); }
  /// @}

  /// @name Memory
  /// @{
  /// Device memory, aligned to 512 bytes; nullptr when full. Slow: the caching allocator calls it.
  virtual void* allocate(int, std::size_t) { unsupported("allocate"); }
  /// Frees what allocate returned. Blocks first until all queued work, which may use it, is done.
  virtual void release(int, void*) { unsupported("release"); }
  /// Pinned host memory, which the device copies by itself; nullptr when refused.
  virtual void* allocate_pinned(std::size_t) { unsupported("allocate_pinned"); }
  /// Frees what allocate_pinned returned.
  virtual void release_pinned(void*) { unsupported("release_pinned"); }
  /// The address at which the device's kernels find `memory`, which allocate returned.
  virtual void* kernel_address(int, void* memory) const { return memory; }
  /// True when the device detects a host access to its memory and names the tensor whose data_ptr()
  /// was used.
  virtual bool guards_memory() const { return false; }
  /// Called at each such data_ptr(); `words` go into the report: ", given out by data_ptr() of".
  virtual void gave_out(const void* /*block*/, const std::string& /*words*/) {}
  /// @}

  /// @name Streams, copies and launches
  /// @{
  /// A stream that lives as long as the process.
  virtual NativeStream* new_stream(int, bool /*high_priority*/) { unsupported("new_stream"); }
  /// Copies in stream order. Either side may be host memory or memory of any device of this kind.
  /// Returns immediately when both sides are device or pinned memory; a pageable source has been
  /// read, and a pageable target has been written, when it returns.
  virtual void copy(void* /*to*/, Device, const void* /*from*/, Device, std::size_t /*bytes*/,
                    int /*index*/, NativeStream* /*stream*/) {
    unsupported("copy");
  }
  /// Blocks until the stream (or, with all_streams, the device) is done. @throws AsyncError.
  virtual void synchronize(int, NativeStream*, bool /*all_streams*/) { unsupported("synchronize"); }
  /// True when all work on the stream is done. Does not block. @throws AsyncError, DeviceError
  virtual bool idle(int, NativeStream*) { unsupported("idle"); }
  /// Enqueues a kernel with its arguments. kernels/launch.h calls it for every kind but cpu, where
  /// it runs the kernel, and cuda, where it launches it.
  virtual void submit(const Record&, int, NativeStream*) { unsupported("submit"); }
  /// The graphs of this kind; null where it has none.
  virtual GraphBackend* graphs() { return nullptr; }
  /// @}

  /// @name Events
  /// An event records a point in a stream that other streams and the host can wait for. An event
  /// that was never recorded is done. A wait that is already queued keeps its point when the event
  /// is recorded again.
  /// @{
  virtual NativeEvent* new_event(int, bool /*timing*/) { unsupported("new_event"); }
  virtual void release_event(NativeEvent*) { unsupported("release_event"); }
  virtual void record(NativeEvent*, int, NativeStream*) { unsupported("record"); }
  virtual void wait(int, NativeStream*, NativeEvent*) { unsupported("wait"); }
  virtual bool done(NativeEvent*) { unsupported("done"); }  ///< @throws AsyncError, DeviceError
  /// Called when the program, and not only an allocator, has learned that the event is done: for a
  /// race finder, the host's later work is ordered after the event.
  virtual void host_saw(NativeEvent*) {}
  /// Blocks the host until the event has passed. @throws AsyncError
  virtual void synchronize_event(NativeEvent*) { unsupported("synchronize_event"); }
  virtual double milliseconds(NativeEvent* /*from*/, NativeEvent* /*to*/) {
    unsupported("milliseconds");
  }
  /// @}

 protected:
  /// @throws DeviceError: the kind has no such function, or no devices at all.
  [[noreturn]] void unsupported(const char* function) const;
};

/// The backend of a kind. Never fails: a kind that no library registered has no devices.
Backend& backend(DeviceType type);

/// Registers a backend when its library is loaded; one static object of each backend's folder.
struct RegisterBackend {
  /// @param backend lives as long as the process.
  RegisterBackend(DeviceType type, Backend& backend);
};

/// The contract. Indices and streams as in Backend; a stream that is captured is never a default
/// one.
class GraphBackend {
 public:
  virtual ~GraphBackend() = default;

  /// From now on, work queued on the stream is captured and does not run. A stream that waits for
  /// an event of a captured stream is captured too.
  virtual void begin_capture(int index, NativeStream* stream) = 0;
  /// Ends the capture of all its streams, even when it throws.
  /// @param nodes receives how many launches and copies the graph has; this may be 0.
  /// @return the graph, ready to be launched.
  /// @throws DeviceError when this stream did not wait for another captured stream again.
  virtual NativeGraph* end_capture(int index, NativeStream* stream, std::size_t* nodes) = 0;
  /// Queues all of a graph as one piece of work on `stream`.
  virtual void launch(NativeGraph* graph, int index, NativeStream* stream) = 0;
  /// Releases a graph, of which no launch is queued any longer.
  virtual void release(NativeGraph* graph, int index) noexcept = 0;
};

/// The graphs of a kind. @throws DeviceError for a kind that has none.
GraphBackend& graph_backend(DeviceType type);

}  // namespace td
