// A strict stand-in for the CUDA runtime, for machines without a GPU. The core's own objects are
// linked with it instead of cudart, and its kernels run on the SIMT machine, so that the backend,
// the allocators, streams, graphs, launches and kernels run as they are. The stand-ins for cuBLAS,
// cuDNN and NCCL, and tests, talk to it through this header.
//
// It is stricter than the driver: it rejects calls that CUDA accepts and this core must not make,
// such as a call that would create a context on GPU 0 because its thread chose no device. It is
// weaker than the driver: work runs as late, and in as unusual an order, as CUDA allows. A function
// that it does not have fails to link.
//
// Memory of a device has two addresses: the program's, which the host cannot access, and the one at
// which kernels and the stand-ins of libraries find the bytes (device_view).
//
// Settings, all from the environment:
//   TD_STAND_IN_GPUS    how many GPUs there are (2)
//   TD_STAND_IN_MEMORY  MiB of each (4096)
//   TD_STAND_IN_ORDER   when and in which order queued work runs (lazy):
//     eager     as soon as it can, in the order in which it was queued
//     lazy      only when the host waits for it or asks often, or nothing happened for a while
//     reversed  of all streams that can go on, the one that was given work last
//     random    any stream that can go on, after random pauses; answers "not ready" a little longer
//   TD_STAND_IN_SEED    of everything random (1); printed when a call is refused
//   TD_STAND_IN_OBSERVE 0: kernels run without the SIMT machine's observers, which is faster (1)
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cuda_stand_in {

// For the stand-ins of libraries and the launches of kernels.

/// Memory that an operation reads or writes, as the program's address.
struct Use {
  const void* data = nullptr;
  std::size_t bytes = 0;
  bool writes = false;
};

/// Work for a stream. A graph keeps it and runs it at every launch.
struct Operation {
  std::string name;
  std::vector<Use> uses;  ///< all memory of devices and all pinned memory that `run` touches
  /// Does the work, on a thread of the stand-in. Returns false where it cannot continue yet, such
  /// as a collective whose other ranks are missing; it is then called again. `begins` is true in
  /// the first call for a launch, false when it continues. An exception makes the device fail with
  /// cudaErrorLaunchFailure, or with the code of a DeviceFault, and its text is printed.
  std::function<bool(bool begins)> run;
};

/// Thrown by Operation::run: the device fails with this sticky error.
struct DeviceFault {
  cudaError_t code;
  std::string text;
};

/// Queues work on a stream of this thread's current device, or puts it into the graph that captures
/// the stream. Refuses a stream of another device, memory of another device, memory that was freed,
/// and memory of the host that is not pinned. `call` names the caller's function in a refusal.
cudaError_t queue(const char* call, cudaStream_t stream, Operation operation);

/// Says on stderr what CUDA would let pass, with the seed, and ends the process unless a test
/// collects refusals. Returns cudaErrorDeviceUninitialized.
cudaError_t refuse(const std::string& call, const std::string& why);

/// Where kernels and libraries find the bytes at the program's address `memory`; `memory` itself
/// for memory of the host.
void* device_view(const void* memory);
template <class T>
T* device_view(T* memory) {
  return static_cast<T*>(device_view(static_cast<const void*>(memory)));
}

/// The program's address of what kernels find at `view`; other memory as it is. The core's own work
/// for a library holds the addresses of kernels, because it cannot know that there are two.
void* program_address(const void* view);

/// The device that this thread chose; -1: none.
int current_device();
/// The device of a stream; nullptr is the default stream of the current device.
int stream_device(cudaStream_t stream);
bool is_capturing(cudaStream_t stream);
/// Why this is not memory of `device` that holds so many bytes, as "is memory of the host"; empty
/// where it is.
std::string why_not_on_device(const void* memory, std::size_t bytes, int device);

/// A number below `end`, from the seed. Thread-safe.
std::uint64_t random(std::uint64_t end);
/// Runs queued work of this process for a moment, so that a loop that polls makes progress.
void let_work_go_on();

// For tests.

/// While one of these lives, refusals are collected instead.
class CollectRefusals {
 public:
  CollectRefusals();
  ~CollectRefusals();
  CollectRefusals(const CollectRefusals&) = delete;
  CollectRefusals& operator=(const CollectRefusals&) = delete;
  /// Those since the last call, as "cudaEventQuery: <why>".
  std::vector<std::string> take();
};

/// How often a function of the runtime or of a library was called.
std::uint64_t calls(const std::string& function);
/// For the stand-ins of libraries: counts a call.
void count_call(const std::string& function);
/// The next call of `function` fails with this cudaError_t, after `passing` calls that do not.
void fail_next(const std::string& function, int error, int passing = 0);
/// The k-th kernel from now on (0: the next one) does nothing and makes its device fail with this
/// sticky cudaError_t, which comes back from a random later call.
void fail_kernel(int error, int passing = 0);
/// From now on everything on the device fails with this cudaError_t, as after a kernel that read a
/// wrong address; 0 repairs it.
void break_device(int index, int error);
/// From now on every call returns cudaErrorCudartUnloading, as while a process ends; false: as
/// before.
void unload(bool yes);
/// What cudaDeviceGetAttribute(cudaDevAttrPageableMemoryAccess) answers. Where it is true, sources
/// of copies in pageable memory are read when the copy runs.
void set_pageable_memory_access(bool yes);

/// Work of the stream does not run from now on until let_go(). @{
void hold(int device, void* stream);
void let_go(int device, void* stream);
/// @}

/// The devices that have a context, one bit per device.
unsigned contexts();
/// The device that was current when this pinned memory was made; -1 for other memory.
int pinned_on(const void* memory);
/// The device that holds this memory; -1 for memory of the host.
int memory_device(const void* memory);

/// A launch as the runtime saw it.
struct Launch {
  std::string kernel;  ///< the name of the operation that started it
  int device = -1;
  unsigned grid[3] = {}, block[3] = {};
};
Launch last_launch();

}  // namespace cuda_stand_in
