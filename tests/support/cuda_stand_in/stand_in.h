// A strict stand-in for the CUDA runtime, for machines without a GPU. libtd.so's own objects, as
// nvcc made them, are linked with it instead of cudart into a libtd.so of its own, so that backend,
// allocators, streams, graphs and launches run as they are; only device code does not. Tests and
// the stand-in for libtd_cuda_libs.so talk to it through this header.
//
// It does what CUDA's documentation says, and refuses what CUDA lets pass and this core must not
// do: above all a call that would make a context on GPU 0 because its thread has chosen no device.
// A function that it does not have fails to link.
//
// Memory of a device is the host's. Streams are eager: the work of a call is done when it returns,
// and only the news of it can be kept back (hold). Instead of device code runs the host's version
// of a kernel, from the record that record_observer hears of before each launch.
//
// Settings: TD_STAND_IN_GPUS (2 when unset), TD_STAND_IN_MEMORY (MiB of each, 4096 when unset).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cuda_stand_in {

/// Refusals end the process with a sentence; while one of these lives they are collected instead,
/// and the call returns cudaErrorDeviceUninitialized.
class CollectRefusals {
 public:
  CollectRefusals();
  ~CollectRefusals();
  CollectRefusals(const CollectRefusals&) = delete;
  CollectRefusals& operator=(const CollectRefusals&) = delete;
  /// Those since the last call, as "cudaEventQuery: <why>".
  std::vector<std::string> take();
};

/// How often a function of the runtime was called.
std::uint64_t calls(const std::string& function);
/// The next call of `function` fails with this cudaError_t, after `passing` calls that do not.
void fail_next(const std::string& function, int error, int passing = 0);
/// From now on everything on the device fails with this cudaError_t, as after a kernel that read a
/// wrong address; 0 repairs it.
void break_device(int index, int error);
/// What cudaDeviceGetAttribute(cudaDevAttrPageableMemoryAccess) answers.
void set_pageable_memory_access(bool yes);

/// What is queued on the stream from now on stays unfinished until let_go(). @{
void hold(int device, void* stream);
void let_go(int device, void* stream);
/// @}

/// The devices that have a context, bit by bit.
unsigned contexts();
/// The device that was current when this pinned memory was made; -1 for other memory.
int pinned_on(const void* memory);
/// The device that holds this memory; -1 for memory of the host.
int memory_device(const void* memory);

/// A launch as the runtime saw it.
struct Launch {
  std::string kernel;  ///< as the linker calls it
  int device = -1;
  unsigned grid[3] = {}, block[3] = {};
};
Launch last_launch();

/// Queues work on a stream, or puts it into the graph that captures the stream. For the stand-ins
/// of the libraries, whose work takes the place of the kernel that was announced to the observer.
void queue(int device, void* stream, std::function<void()> work);

}  // namespace cuda_stand_in

/// Listens to launches from now on. Needed only after somebody else's record_observer was there.
extern "C" void td_cuda_stand_in_listen();
