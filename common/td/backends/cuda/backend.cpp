// The backend contract on NVIDIA GPUs: each function is one or two calls of the CUDA runtime, and
// those calls are what chapter texts point at. device/ and the allocators call it.
// Invariant: every call makes its device current first, and an error never stays behind unread.
#include <cuda_runtime.h>

#include <mutex>

#include "td/backends/cuda/spans.h"
#include "td/base/bytes.h"
#include "td/base/error.h"
#include "td/device/capture.h"

namespace td {
namespace cuda {

thread_local constinit int current_device_of_thread = -1;

void switch_device(int index) {
  if (const cudaError_t error = cudaSetDevice(index))
    throw_error("cuda:" + std::to_string(index), error);
  current_device_of_thread = index;
}

namespace {

void check(cudaError_t error, const char* doing, int index) {
  if (error != cudaSuccess) [[unlikely]]
    throw_error(std::string(doing) + " on cuda:" + std::to_string(index), error);
}

// Work that failed, or that never ran since earlier work failed: the caller asked to hear of it.
void check_work(cudaError_t error, const std::string& where) {
  if (error == cudaSuccess) [[likely]]
    return;
  try {
    throw_error(where + ": queued work failed", error);
  } catch (const DeviceError& e) {
    throw AsyncError(e.what());
  }
}

cudaStream_t stream_of(void* native) { return static_cast<cudaStream_t>(native); }
cudaEvent_t event_of(void* native) { return static_cast<cudaEvent_t>(native); }

// Answers "is it done?". Failed work is done too; synchronize reports the failure.
bool finished(cudaError_t answer) {
  if (answer == cudaErrorNotReady) {
    cudaGetLastError();  // "not yet" counts as an error for CUDA
    return false;
  }
  return true;
}

bool is_pageable(const void* memory) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
    cudaGetLastError();
    return true;
  }
  return attributes.type == cudaMemoryTypeUnregistered;
}

// As traces call it.
const char* name_of_copy(const void* to, Device to_device, const void* from, Device from_device) {
  if (to_device.is_cpu())
    return is_pageable(to) ? "Memcpy DtoH (Device -> Pageable)" : "Memcpy DtoH (Device -> Pinned)";
  if (from_device.is_cpu())
    return is_pageable(from) ? "Memcpy HtoD (Pageable -> Device)"
                             : "Memcpy HtoD (Pinned -> Device)";
  return "Memcpy DtoD (Device -> Device)";
}

// Some machines let the GPU read pageable memory itself; the source may then be read late.
bool reads_pageable_memory(int index) {
  int yes = 0;
  return cudaDeviceGetAttribute(&yes, cudaDevAttrPageableMemoryAccess, index) == cudaSuccess && yes;
}

// Opens the direct road between two GPUs, once a pair. Where there is none, CUDA copies through
// the host by itself.
void open_peer_road(int from, int to) {
  static std::once_flag opened[kMaxDevices][kMaxDevices];
  std::call_once(opened[from][to], [&] {
    int possible = 0;
    cudaDeviceCanAccessPeer(&possible, from, to);
    use_device(from);
    if (possible) cudaDeviceEnablePeerAccess(to, 0);
    cudaGetLastError();
  });
}

struct Count {
  int devices = 0;
  cudaError_t error = cudaSuccess;
};

// Asked once: the driver's answer does not change while a process runs.
const Count& count() {
  static const Count answer = [] {
    Count c;
    c.error = cudaGetDeviceCount(&c.devices);
    if (c.error != cudaSuccess) {
      c.devices = 0;
      cudaGetLastError();
    }
    if (c.devices > kMaxDevices) c.devices = kMaxDevices;
    return c;
  }();
  return answer;
}

class CudaBackend final : public Backend {
 public:
  int device_count() const override { return count().devices; }

  std::string why_none() const override {
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    return no_device_reason(count().error, driver, runtime);
  }

  std::string name(int index) const override {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, index), "asking for the name", index);
    return properties.name;
  }

  int compute_capability(int index) const override {
    int major = 0, minor = 0;
    const char* const doing = "asking for the compute capability";
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index), doing, index);
    check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index), doing, index);
    return 10 * major + minor;
  }

  void memory(int index, std::size_t* free, std::size_t* total) const override {
    use_device(index);
    check(cudaMemGetInfo(free, total), "asking for the free memory", index);
  }

  void* allocate(int index, std::size_t bytes) override {
    use_device(index);
    void* memory = nullptr;
    return obtained(cudaMalloc(&memory, bytes), "allocating", index) ? memory : nullptr;
  }

  void release(int index, void* memory) override {
    use_device(index);
    forgive(cudaFree(memory));
  }

  // Portable: pinned for every GPU, whichever is current now.
  void* allocate_pinned(std::size_t bytes) override {
    if (current_device_of_thread < 0) use_device(0);
    void* memory = nullptr;
    const cudaError_t error = cudaHostAlloc(&memory, bytes, cudaHostAllocPortable);
    return obtained(error, "pinning host memory", current_device_of_thread) ? memory : nullptr;
  }

  void release_pinned(void* memory) override {
    if (current_device_of_thread < 0) use_device(0);
    forgive(cudaFreeHost(memory));
  }

  // Non-blocking: the default stream would otherwise order itself after and before all others.
  void* new_stream(int index, bool high_priority) override {
    use_device(index);
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "making a stream", index);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                       high_priority ? greatest : least),
          "making a stream", index);
    return stream;
  }

  void copy(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes,
            int index, void* stream) override {
    if (bytes == 0) return;
    if (to_device.is_cuda() && from_device.is_cuda() && to_device != from_device)
      return copy_to_peer(to, to_device.index(), from, from_device.index(), bytes, index, stream);
    const StreamSpan span(trace::is_on() ? name_of_copy(to, to_device, from, from_device) : "",
                          index, stream, trace::Category::kCopy, bytes);
    if (capturing_graph && is_pageable(to_device.is_cpu() ? to : from)) check_may_copy_pageable();
    // CUDA tells from the addresses which side is where.
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(stream)), "copying", index);
    const bool wait = to_device.is_cpu()     ? is_pageable(to)
                      : from_device.is_cpu() ? reads_pageable_memory(index) && is_pageable(from)
                                             : false;
    if (wait) synchronize(index, stream, false);
  }

  void synchronize(int index, void* stream, bool all_streams) override {
    use_device(index);
    const trace::Span span(all_streams ? "Device Synchronize" : "Stream Synchronize",
                           trace::Category::kWait);
    check_work(all_streams ? cudaDeviceSynchronize() : cudaStreamSynchronize(stream_of(stream)),
               "cuda:" + std::to_string(index));
  }

  bool idle(int index, void* stream) override {
    use_device(index);
    cudaStreamCaptureStatus captured = cudaStreamCaptureStatusNone;
    if (capturing_graph) cudaStreamIsCapturing(stream_of(stream), &captured);
    // To ask a captured stream would spoil the capture.
    return captured == cudaStreamCaptureStatusNone && finished(cudaStreamQuery(stream_of(stream)));
  }

  void* new_event(int index, bool timing) override {
    use_device(index);
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, timing ? cudaEventDefault : cudaEventDisableTiming),
          "making an event", index);
    return event;
  }
  void release_event(void* event) override { forgive(cudaEventDestroy(event_of(event))); }

  void record(void* event, int index, void* stream) override {
    use_device(index);
    check(cudaEventRecord(event_of(event), stream_of(stream)), "recording an event", index);
  }
  void wait(int index, void* stream, void* event) override {
    use_device(index);
    check(cudaStreamWaitEvent(stream_of(stream), event_of(event)), "waiting for an event", index);
  }
  bool done(void* event) override { return finished(cudaEventQuery(event_of(event))); }
  void synchronize_event(void* event) override {
    const trace::Span span("Event Synchronize", trace::Category::kWait);
    check_work(cudaEventSynchronize(event_of(event)), "waiting for an event of cuda");
  }
  double milliseconds(void* from, void* to) override {
    float elapsed = 0;
    check_work(cudaEventElapsedTime(&elapsed, event_of(from), event_of(to)),
               "timing between two events of cuda");
    return elapsed;
  }

  void submit(const Record& record, int index, void*) override {
    fail<DeviceError>(record.name, ": cuda:", index,
                      " runs kernels where they are launched; it takes no records");
  }

 private:
  // Giving back fails only after work has failed, which synchronize reports, and may not throw.
  static void forgive(cudaError_t error) {
    if (error != cudaSuccess) cudaGetLastError();
  }

  // Full memory is an answer, not a failure: the allocator then empties its cache and asks again.
  static bool obtained(cudaError_t error, const char* doing, int index) {
    if (error == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      return false;
    }
    check(error, doing, index);
    return true;
  }

  static void copy_to_peer(void* to, int to_index, const void* from, int from_index,
                           std::size_t bytes, int index, void* stream) {
    open_peer_road(to_index, from_index);
    open_peer_road(from_index, to_index);
    const StreamSpan span("Memcpy PtoP (Device -> Device)", index, stream, trace::Category::kCopy,
                          bytes);
    check(cudaMemcpyPeerAsync(to, to_index, from, from_index, bytes, stream_of(stream)),
          "copying between GPUs", index);
  }
};

}  // namespace

std::string uuid(int index) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, index), "asking for the uuid", index);
  return "GPU-" + to_hex(properties.uuid.bytes, sizeof properties.uuid.bytes);
}

}  // namespace cuda

Backend& cuda_backend() {
  static auto* const backend = new cuda::CudaBackend;  // never destroyed: streams outlive main
  return *backend;
}

}  // namespace td
