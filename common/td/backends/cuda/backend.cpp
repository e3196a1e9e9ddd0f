// Backend for NVIDIA GPUs: each function is one or two calls of the CUDA runtime, to which the
// chapters refer. device/ and the allocators call it. Invariant: every call makes its device
// current first, and reads its error, so that no later call reports it.
#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "td/backends/cuda/check.h"
#include "td/base/error.h"
#include "td/base/span.h"
#include "td/device/context.h"
#include "td/device/graph.h"

namespace td::cuda {
namespace {

std::atomic<int> first_device{-1};  // that this process used

cudaError_t set_device(int index) {
  const cudaError_t error = cudaSetDevice(index);
  if (error != cudaSuccess) return error;
  current_device_of_thread = index;
  int none = -1;
  first_device.compare_exchange_strong(none, index);
  return cudaSuccess;
}

// Throws for work that failed, or that did not run because earlier work had failed.
void check_work(cudaError_t error, const std::string& where) {
  if (error == cudaSuccess) [[likely]]
    return;
  try {
    throw_error(where + ": queued work failed", error);
  } catch (const DeviceError& e) {
    throw AsyncError(e.what());
  }
}

// An event and its device. In a thread that has chosen no device, CUDA would use GPU 0 and create a
// context there.
struct Mark {
  cudaEvent_t event = nullptr;
  int device = 0;
  bool captured = false;  // its last record is a part of a graph
};

Mark& mark_of(NativeEvent* native) { return *reinterpret_cast<Mark*>(native); }

// For a query by the host, which is rejected for an event of a graph: CUDA would end the capture. A
// thread that has a current device keeps it, because an allocator may query between a launch's
// choice of a device and the launch.
Mark& mark_to_ask(NativeEvent* native) {
  Mark& mark = mark_of(native);
  if (mark.captured) refuse_captured_event();
  if (current_device_of_thread < 0) use_device(mark.device);
  return mark;
}

// Answers "is it done?". Only success says yes: after any other error work may still be running.
bool finished(cudaError_t answer, int index) {
  if (answer == cudaSuccess) return true;
  if (answer != cudaErrorNotReady) check(answer, "asking whether work is done", index);
  cudaGetLastError();  // "not yet" counts as an error for CUDA
  return false;
}

// A query costs a call, so it is made only where some thread captures.
bool is_captured(cudaStream_t stream) {
  if (captures_underway == 0) return false;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return succeeded(cudaStreamIsCapturing(stream, &status)) && status != cudaStreamCaptureStatusNone;
}

struct Count {
  int devices = 0;
  cudaError_t error = cudaSuccess;
};

// Queried once, because the driver's answer does not change while a process runs.
const Count& count() {
  static const Count answer = [] {
    Count c;
    c.error = cudaGetDeviceCount(&c.devices);
    c.devices = succeeded(c.error) ? std::min(c.devices, kMaxDevices) : 0;
    return c;
  }();
  return answer;
}

class CudaBackend final : public Backend {
 public:
  GraphBackend* graphs() override { return &cuda::graphs(); }
  int device_count() const override { return count().devices; }

  std::string unavailable_reason() const override {
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

  // Freeing fails only after work has failed, which synchronize reports; this may not throw.
  void release(int index, void* memory) override {
    if (try_use_device(index)) succeeded(cudaFree(memory));
  }

  // Portable: pinned for every GPU, whichever is current now.
  void* allocate_pinned(std::size_t bytes) override {
    if (current_device_of_thread < 0) use_device(device_for_host_memory());
    void* memory = nullptr;
    const cudaError_t error = cudaHostAlloc(&memory, bytes, cudaHostAllocPortable);
    return obtained(error, "pinning host memory", current_device_of_thread) ? memory : nullptr;
  }

  void release_pinned(void* memory) override {
    if (current_device_of_thread >= 0 || try_use_device(device_for_host_memory()))
      succeeded(cudaFreeHost(memory));
  }

  // Non-blocking: the default stream would otherwise order itself after and before all others.
  NativeStream* new_stream(int index, bool high_priority) override {
    use_device(index);
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "making a stream", index);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                       high_priority ? greatest : least),
          "making a stream", index);
    const std::lock_guard lock(mutex_);
    streams_[static_cast<std::size_t>(index)].push_back(stream);
    return reinterpret_cast<NativeStream*>(stream);
  }

  void copy(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes,
            int index, NativeStream* stream) override {
    if (bytes > 0 && queue_copy(to, to_device, from, from_device, bytes, index, stream))
      synchronize(index, stream, false);
  }

  void synchronize(int index, NativeStream* stream, bool all_streams) override {
    use_device(index);
    if (!all_streams && is_captured(stream_of(stream))) refuse_captured_stream(kCUDA, index);
    const trace::Span span(all_streams ? "Device Synchronize" : "Stream Synchronize",
                           trace::Category::kWait);
    check_work(all_streams ? wait_for_device(index) : cudaStreamSynchronize(stream_of(stream)),
               "cuda:" + std::to_string(index));
  }

  // A query of a captured stream would invalidate the capture.
  bool idle(int index, NativeStream* stream) override {
    use_device(index);
    return !is_captured(stream_of(stream)) && finished(cudaStreamQuery(stream_of(stream)), index);
  }

  NativeEvent* new_event(int index, bool timing) override {
    use_device(index);
    auto mark = std::make_unique<Mark>();
    mark->device = index;
    check(
        cudaEventCreateWithFlags(&mark->event, timing ? cudaEventDefault : cudaEventDisableTiming),
        "making an event", index);
    return reinterpret_cast<NativeEvent*>(mark.release());
  }
  void release_event(NativeEvent* event) override {
    const std::unique_ptr<Mark> mark(&mark_of(event));
    if (try_use_device(mark->device)) succeeded(cudaEventDestroy(mark->event));
  }

  void record(NativeEvent* event, int index, NativeStream* stream) override {
    use_device(index);
    check(cudaEventRecord(mark_of(event).event, stream_of(stream)), "recording an event", index);
    mark_of(event).captured = is_captured(stream_of(stream));
  }
  void wait(int index, NativeStream* stream, NativeEvent* event) override {
    use_device(index);
    check(cudaStreamWaitEvent(stream_of(stream), mark_of(event).event), "waiting for an event",
          index);
  }
  bool done(NativeEvent* event) override {
    const Mark& mark = mark_to_ask(event);
    return finished(cudaEventQuery(mark.event), mark.device);
  }
  void synchronize_event(NativeEvent* event) override {
    const Mark& mark = mark_to_ask(event);
    const trace::Span span("Event Synchronize", trace::Category::kWait);
    check_work(cudaEventSynchronize(mark.event), "waiting for an event of cuda");
  }
  double milliseconds(NativeEvent* from, NativeEvent* to) override {
    float elapsed = 0;
    check_work(cudaEventElapsedTime(&elapsed, mark_to_ask(from).event, mark_to_ask(to).event),
               "timing between two events of cuda");
    return elapsed;
  }

 private:
  // Full memory is no error here: the allocator then empties its cache and tries again.
  static bool obtained(cudaError_t error, const char* doing, int index) {
    if (error != cudaErrorMemoryAllocation) check(error, doing, index);
    return succeeded(error);
  }

  // A device cannot be synchronized as a whole while a stream of it is captured. (A capture that
  // begins between this check and the call is lost; CUDA has nothing that would prevent it.)
  cudaError_t wait_for_device(int index) {
    if (captures_on[index] == 0) return cudaDeviceSynchronize();
    std::vector<cudaStream_t> streams;
    {
      const std::lock_guard lock(mutex_);
      streams = streams_[static_cast<std::size_t>(index)];
    }
    streams.push_back(nullptr);
    for (const cudaStream_t stream : streams)
      if (!is_captured(stream))
        if (const cudaError_t error = cudaStreamSynchronize(stream)) return error;
    return cudaSuccess;
  }

  std::mutex mutex_;                                            // guards what follows
  std::array<std::vector<cudaStream_t>, kMaxDevices> streams_;  // but for the default ones
};

const RegisterBackend registration(kCUDA,
                                   *new CudaBackend);  // never destroyed: streams outlive main

}  // namespace

thread_local constinit int current_device_of_thread = -1;

void switch_device(int index) {
  if (const cudaError_t error = set_device(index))
    throw_error("cuda:" + std::to_string(index), error);
}

bool try_use_device(int index) noexcept {
  return current_device_of_thread == index || succeeded(set_device(index));
}

int device_for_host_memory() {
  const int first = first_device;
  return first >= 0 ? first : context().current_device[static_cast<int>(kCUDA)];
}

std::string uuid(int index) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, index), "asking for the uuid", index);
  return "GPU-" + to_hex(properties.uuid.bytes, sizeof properties.uuid.bytes);
}

}  // namespace td::cuda
