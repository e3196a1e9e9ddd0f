// The stand-in's launches: the entries that nvcc's host code calls, checked as CUDA checks them.
// What runs is the host's version of the kernel, which kernels/launch.h announces to the observer.
#include <memory>
#include <optional>

#include "td/device/device.h"
#include "td/device/record.h"
#include "uses.h"

namespace cuda_stand_in {
namespace {

/// What the next launch of this thread does.
thread_local std::optional<td::Record> announced;

void listen(const td::Record& record, td::Device device) {
  if (device.is_cuda() && record.run) announced = record;
}

const bool listening = (td_cuda_stand_in_listen(), true);

/// The grid and the block of `<<< >>>`, on their way to the launch.
struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

bool has_bad_shape(dim3 grid, dim3 block) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0)
    return true;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  return threads > 1024 || block.z > 64 || grid.x > 0x7FFFFFFFu || grid.y > 65535 || grid.z > 65535;
}

/// What the record does, with the memory that it says it uses.
Operation operation_of(const std::string& name, const std::optional<td::Record>& record) {
  Operation operation{record ? record->name : name, {}, [](bool) { return true; }};
  if (!record) return operation;
  for (int i = 0; i < record->reads + record->writes; ++i)
    if (const td::Extent& extent = record->extents[i]; arena_of(extent.data) >= 0)
      operation.uses.push_back({extent.data, extent.bytes, i >= record->reads});
  operation.run = [kept = std::make_shared<td::Record>(*record)](bool) {
    return kept->run(kept->work), true;
  };
  return operation;
}

cudaError_t launch(const void* function, dim3 grid, dim3 block, std::size_t shared,
                   cudaStream_t handle) {
  const std::optional<td::Record> record = std::exchange(announced, std::nullopt);
  return call("cudaLaunchKernel", true, [&](State& all, Lock& lock) {
    const auto kernel = all.kernels.find(function);
    if (kernel == all.kernels.end()) return cudaErrorInvalidDeviceFunction;
    if (has_bad_shape(grid, block)) return cudaErrorInvalidConfiguration;
    if (shared > 48 * 1024) return cudaErrorInvalidValue;
    Stream& stream = stream_of(all, handle);
    if (stream.device != thread.device) return cudaErrorInvalidResourceHandle;
    if (td::record_observer != listen)
      return refuse(all, "a launch", "another record_observer is set, so no kernel would run");
    all.last = {
        kernel->second, stream.device, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}};
    Operation operation = operation_of(kernel->second, record);
    if (const cudaError_t error = check_memory(all, "a launch", operation, stream.device))
      return error;
    return put_operation(all, "a launch", stream, std::move(operation), lock);
  });
}

}  // namespace

void queue(int device, void* handle, std::function<void()> work) {
  announced.reset();
  State& all = state();
  Lock lock(all.mutex);
  if (thread.device != device) refuse(all, "a library", "its device is not the current one");
  put_operation(all, "a library", stream_of(all, static_cast<cudaStream_t>(handle)),
                {"a library's work", {}, [work = std::move(work)](bool) { return work(), true; }},
                lock);
}

}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

void td_cuda_stand_in_listen() { td::record_observer = listen; }

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void**, const char* function, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  const std::lock_guard lock(state().mutex);
  state().kernels[function] = name;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     CUstream_st* stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  const Configuration last = configurations.back();
  configurations.pop_back();
  *grid = last.grid, *block = last.block, *shared = last.shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void**,
                               std::size_t shared, cudaStream_t stream) {
  return launch(kernel, grid, block, shared, stream);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void**,
                             std::size_t shared, cudaStream_t stream) {
  return launch(function, grid, block, shared, stream);
}

}  // extern "C"
