// The interface for the stand-ins of libraries, on streams that are still eager.
#include <unistd.h>

#include <cstdio>
#include <random>

#include "state.h"

namespace cuda_stand_in {

cudaError_t queue(const char* call, cudaStream_t handle, Operation operation) {
  State& all = state();
  std::unique_lock lock(all.mutex);
  if (const cudaError_t error = begin_call(all, call, true)) return error;
  Stream& stream = stream_of(all, handle);
  if (stream.device != thread.device) return refuse(all, call, "the stream is of another device");
  for (const Use& use : operation.uses) {
    const Memory* memory = memory_of(all, use.data, use.bytes, nullptr);
    if (!memory || (!memory->is_pinned && memory->device != stream.device))
      return refuse(all, call, operation.name + " uses memory that is not of its device");
  }
  const int device = stream.device;
  Work work = [device, operation = std::move(operation)] {
    try {
      bool begins = true;
      while (!operation.run(begins)) begins = false, usleep(50);
    } catch (const DeviceFault& fault) {
      std::fprintf(stderr, "%s\n", fault.text.c_str());
      std::lock_guard guard(state().mutex);
      state().devices[device].broken = fault.code;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      std::lock_guard guard(state().mutex);
      state().devices[device].broken = cudaErrorLaunchFailure;
    }
  };
  return put(stream, std::move(work), lock);
}

cudaError_t refuse(const std::string& call, const std::string& why) {
  std::lock_guard lock(state().mutex);
  return refuse(state(), call.c_str(), why);
}
void* device_view(const void* memory) { return const_cast<void*>(memory); }
int current_device() { return thread.device; }
int stream_device(cudaStream_t stream) {
  std::lock_guard lock(state().mutex);
  return stream_of(state(), stream).device;
}
bool is_capturing(cudaStream_t stream) {
  std::lock_guard lock(state().mutex);
  return stream_of(state(), stream).capture;
}
std::string why_not_on_device(const void* memory, std::size_t bytes, int device) {
  std::lock_guard lock(state().mutex);
  bool beyond = false;
  const Memory* block = memory_of(state(), memory, bytes, &beyond);
  if (beyond) return "reaches beyond its block";
  if (!block || block->is_pinned) return "is memory of the host";
  if (block->device != device) return "is memory of cuda:" + std::to_string(block->device);
  return "";
}
std::uint64_t random(std::uint64_t end) {
  static std::mutex mutex;
  static std::mt19937_64 numbers(1);
  std::lock_guard lock(mutex);
  return numbers() % end;
}
void let_work_go_on() {}
void count_call(const std::string& function) {
  std::lock_guard lock(state().mutex);
  ++state().calls[function];
}
void fail_kernel(int, int) {}
void unload(bool) {}

}  // namespace cuda_stand_in

namespace cuda_stand_in {
void queue(int, void* stream, std::function<void()> work) {
  queue("a library", static_cast<cudaStream_t>(stream), {"a library", {}, [work](bool) { work(); return true; }});
}
}  // namespace cuda_stand_in
