// The state of the runtime, and how each call begins and ends. Every file of this directory calls
// this. Invariant: as in state.h.
#include "cuda/state.h"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cuda/report.h"
#include "simt/device_calls.h"

namespace td::cudart {

thread_local constinit Thread thread;

namespace {

std::size_t half_of_memory() {
  const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 2;
}

State* make_state() {
  auto* const all = new State;  // never destroyed: static objects of the program use it at the end
  const char* const count = std::getenv("TD_CUDA_DEVICES");
  all->count = count ? std::clamp(std::atoi(count), 0, kMostDevices) : 1;
  const char* const name = std::getenv("TD_CUDA_GPU");
  all->gpu = &simt::gpu(name ? name : "H100");
  all->device_bytes = half_of_memory();
  all->is_reversed = settings().is_reversed;
  for (int i = 0; i < kMostDevices; ++i) {
    Stream& stream = all->devices[i].default_stream;
    stream.device = i;
    stream.is_default = true;
    stream.number = ++all->streams;
  }
  std::atexit([] {
    State& ended = state();
    if (thread.is_worker) return;  // a callback ends the process
    Lock lock(ended.mutex);
    finish_queue(ended, lock);
    lock.unlock();
    write_reports(true);
  });
  return all;
}

// The state exists before main, so that its end comes after those of the program's own objects.
[[maybe_unused]] const State& kMade = state();

/// The memory that the program's file takes.
struct Image {
  std::uintptr_t begin = ~std::uintptr_t{0}, end = 0;
};
int look_at(dl_phdr_info* info, std::size_t, void* result) {
  auto& image = *static_cast<Image*>(result);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    image.begin = std::min(image.begin, begin);
    image.end = std::max(image.end, begin + segment.p_memsz);
  }
  return 1;  // the first is the program
}

}  // namespace

State& state() {
  static State* const all = make_state();
  return *all;
}

bool is_variable(const void* data) {
  static const Image image = [] {
    Image found;
    dl_iterate_phdr(look_at, &found);
    return found;
  }();
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  return address >= image.begin && address < image.end;
}

namespace {

/// Whether kernels may make the call, too.
bool is_for_kernels(const Call& call) {
  for (const char* name : {"cudaStreamCreateWithFlags", "cudaStreamDestroy", "cudaGetDevice",
                           "cudaDeviceGetAttribute", "cudaGetLastError", "cudaPeekAtLastError"})
    if (std::strcmp(call.name, name) == 0) return true;
  return false;
}

}  // namespace

cudaError_t begin_call(State& all, const Call& call) {
  if (simt::in_kernel()) {
    if (is_for_kernels(call)) return cudaSuccess;
    report_unless_asked(call.caller, std::string(call.name) + " is called by a kernel");
    return cudaErrorNotPermitted;
  }
  thread.has_reported = false;
  ++all.calls;
  all.is_quiet = false;
  if (thread.is_worker && !call.works_after_errors) {
    report(call.caller, std::string(call.name) +
                            " is called in a callback of a stream, which may "
                            "call nothing of CUDA: it would wait for itself");
    return cudaErrorNotPermitted;
  }
  if (all.count == 0) return cudaErrorNoDevice;
  Device& device = all.devices[thread.device];
  if (!device.arena) {
    device.arena.emplace(thread.device, all.device_bytes, Arena::Views::kOne);
    if (!all.host_arena) all.host_arena.emplace(kHostArena, all.device_bytes, Arena::Views::kOne);
    watch_host_accesses();
  }
  if (!thread.is_worker) watch_this_thread();
  return call.works_after_errors ? cudaSuccess : device.error;
}

namespace {

/// Whether programs make the error on purpose, to find out something.
bool is_answer(cudaError_t error) {
  switch (error) {
    case cudaErrorNotReady:
    case cudaErrorMemoryAllocation:
    case cudaErrorInvalidDevice:
    case cudaErrorNoDevice:
    case cudaErrorNotSupported:
    case cudaErrorPeerAccessAlreadyEnabled:
    case cudaErrorPeerAccessNotEnabled:
    case cudaErrorHostMemoryAlreadyRegistered:
    case cudaErrorHostMemoryNotRegistered:
    case cudaErrorGraphExecUpdateFailure:
      return true;
    default:
      return false;
  }
}

}  // namespace

cudaError_t end_call(const State& all, const Call& call, cudaError_t error) {
  if (error && error != cudaErrorNotReady) thread.last_error = error;
  if (!error || thread.has_reported || is_answer(error) || settings().check.empty()) return error;
  for (const Device& device : all.devices)
    if (device.error == error) return error;  // that of a kernel
  report(call.caller, std::string(call.name) + " returns " + cudaGetErrorName(error) + ": " +
                          cudaGetErrorString(error));
  return error;
}

cudaError_t not_supported(const Call& call, const char* what) {
  report(call.caller, std::string(call.name) + " is not supported here" + what +
                          ", and returns cudaErrorNotSupported");
  return cudaErrorNotSupported;
}

}  // namespace td::cudart
