// The cuda backend as the rest of the core sees it: its graphs, and what a kernel launch needs.
// Includes nothing of CUDA. Outside of backends/, only kernels/launch.h includes it, and what is
// around the core.
// Invariant: nothing of CUDA is touched before the program asks for a cuda device.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "td/base/span.h"
#include "td/device/backend.h"

namespace td::cuda {

/// CUDA's graphs, for the backend.
GraphBackend& graphs();

/// The device that CUDA calls of this thread go to; -1 before the first. CUDA makes a context,
/// which costs a GPU half a gigabyte, on the device that is current at a thread's first call, and
/// that is 0 until the thread says otherwise.
extern thread_local constinit int current_device_of_thread;
/// Calls cudaSetDevice. @throws DeviceError with the driver's words.
void switch_device(int index);

/// Makes `index` the device of this thread's CUDA calls. Costs a comparison when it already is.
inline void use_device(int index) {
  if (current_device_of_thread != index) switch_device(index);
}

/// The same where nothing may be thrown: false when the driver refuses.
bool try_use_device(int index) noexcept;

/// For memory of the host, which also belongs to a context, in a thread that has chosen no device,
/// such as a loader's: the first device that this process used.
int device_for_host_memory();

/// Captures under way by device. While there are any, no call may concern the whole device.
extern std::atomic<int> captures_on[kMaxDevices];

/// The GPU's own name in the world: "GPU-" and 32 hexadecimal digits.
std::string uuid(int index);

/// Begins the span of what is queued on a stream from now on; it ends with the returned object. Set
/// by common/trace/cuda when it is loaded, without which no span is recorded.
inline std::shared_ptr<void> (*stream_timer)(const trace::SpanRecord& span, int device,
                                             void* stream, bool waits) = nullptr;

/// While the returned object lives, one thing is queued on a stream, and no other one that has a
/// span. Null, which costs a comparison, unless spans are recorded.
/// @param bytes what is copied, where that is the work. @param stream the native handle.
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

/// Throws what a CUDA error code means, in words with the next step.
/// @param doing what was asked for, as it begins the message: "relu on cuda:0".
/// @throws AsyncError when the device is at fault, DeviceError when the request could not start.
[[noreturn, gnu::cold]] void throw_error(const std::string& doing, int cuda_error);

/// One sentence on why there is no device, for the code that cudaGetDeviceCount returned.
/// @param driver,runtime versions as CUDA gives them: 13010 is 13.1; driver 0 means none installed.
std::string no_device_reason(int cuda_error, int driver, int runtime);

}  // namespace td::cuda
