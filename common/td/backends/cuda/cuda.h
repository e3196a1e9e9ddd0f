// The cuda backend as the rest of the core sees it: its graphs, and what a kernel launch needs. It
// includes no header of CUDA. Outside of backends/, only kernels/launch.h and code outside the core
// include it. Invariant: no CUDA function is called before the program uses a cuda device.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "td/base/span.h"
#include "td/device/backend.h"

namespace td::cuda {

/// CUDA's graphs, for the backend.
GraphBackend& graphs();

/// The device of this thread's CUDA calls; -1 before the first. At a thread's first call CUDA
/// creates a context, which takes half a gigabyte of GPU memory, on the current device, and that is
/// device 0 unless the thread has set another.
extern thread_local constinit int current_device_of_thread;
/// Calls cudaSetDevice. @throws DeviceError with the driver's words.
void switch_device(int index);

/// Makes `index` the device of this thread's CUDA calls. Costs a comparison when it already is.
inline void use_device(int index) {
  if (current_device_of_thread != index) switch_device(index);
}

/// The same where nothing may be thrown: false when the driver refuses.
bool try_use_device(int index) noexcept;

/// The first device that this process used. For allocations of host memory, which also belong to a
/// context, in a thread that has chosen no device, such as a loader's.
int device_for_host_memory();

/// Captures in progress, by device. During one, no call may concern the whole device.
extern std::atomic<int> captures_on[kMaxDevices];

/// The globally unique id of a GPU: "GPU-" and 32 hexadecimal digits.
std::string uuid(int index);

/// Begins a span of the work queued on a stream from now on; the returned object's destructor ends
/// it. Set by common/trace/cuda when that is loaded; without it, no span is recorded.
inline std::shared_ptr<void> (*stream_timer)(const trace::SpanRecord& span, int device,
                                             void* stream, bool waits) = nullptr;

/// During the lifetime of the returned object, the caller queues one operation on a stream. It is
/// the span, and no other has one. Null, which costs a comparison, unless spans are recorded.
/// @param bytes copied or sent, 0 for other work. @param stream the native handle.
/// @param waits it may have to wait before it is queued: a collective for the other ranks, a copy
/// of pageable memory for the stream. Other spans do not wait meanwhile, so the caller must let
/// nothing else be queued on the stream.
inline std::shared_ptr<void> stream_span(const char* name, std::uint64_t bytes, int device,
                                         void* stream, trace::Category category,
                                         bool waits = false) {
  if (!trace::is_on()) [[likely]]
    return nullptr;
  return stream_timer({name, 0, 0, bytes, 0, 0, category}, device, stream, waits);
}

/// Throws an error that explains a CUDA error code and names the next step.
/// @param doing the work that was requested, as the message begins: "relu on cuda:0".
/// @throws AsyncError when the device is at fault, DeviceError when the request could not start.
[[noreturn, gnu::cold]] void throw_error(const std::string& doing, int cuda_error);

/// One sentence on why there is no device, for the code that cudaGetDeviceCount returned.
/// @param driver,runtime versions as CUDA gives them: 13010 is 13.1; driver 0 means none installed.
std::string no_device_reason(int cuda_error, int driver, int runtime);

}  // namespace td::cuda
