// Launches: checked as CUDA checks them, then queued. What runs is the kernel itself, on the SIMT
// machine. Invariant: arguments are copied at the call.
#include <algorithm>
#include <cstring>

#include "cuda/graph.h"
#include "cuda/report.h"
#include "cuda/work.h"
#include "simt/device_calls.h"
#include "simt/library.h"

namespace td::cudart {
namespace {

/// Why a kernel must not get this pointer; empty where it may.
std::string why_not_passed(const State& all, const void* pointer) {
  if (!pointer || is_variable(pointer)) return "";
  const Found found = find_memory(all, pointer, 1);
  if (found.block) return "";
  if (found.freed)
    return "points to memory that was freed in " + place_of(found.freed->freed) + " (" +
           found.freed->call + " in " + place_of(found.freed->made) + ")";
  if (arena_of(pointer) >= 0) return "";  // after the end of a block, for instance
  return "points to memory of the host, which a kernel cannot reach: copy the data to memory of "
         "cudaMalloc with cudaMemcpy, and pass that";
}

/// What the launch may do with the memory at its pointers: with each to the end of its block. What
/// is volatile is for threads that write while others read, so it counts for no order.
std::vector<Use> uses_of(const State& all, const Work& work) {
  std::vector<Use> uses;
  for (std::size_t i = 0; i < work.kernel.count; ++i) {
    const Parameter& parameter = work.kernel.parameters[i];
    const bool counts = parameter.is_pointer && !parameter.is_volatile;
    const void* const data = counts ? value_of(work, i) : nullptr;
    if (!data || arena_of(data) != kHostArena) continue;
    const Found found = find_memory(all, data, 1);
    if (!found.block) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    uses.push_back({data, found.begin + found.block->bytes - begin, !parameter.is_const});
  }
  return uses;
}

/// @return an error, after a report.
cudaError_t check_pointers(const State& all, const Work& work) {
  for (std::size_t i = 0; i < work.kernel.count; ++i) {
    if (!work.kernel.parameters[i].is_pointer) continue;
    const std::string why = why_not_passed(all, value_of(work, i));
    if (why.empty()) continue;
    report(work.caller,
           "argument " + std::to_string(i + 1) + " of " + short_name(work.kernel.name) + ' ' + why);
    return cudaErrorIllegalAddress;
  }
  return cudaSuccess;
}

std::optional<simt::LaunchError> error_of(const State& all, const Work& work) {
  const void* const address = work.kernel.address;
  const auto set = all.dynamic_shared.find(address);
  const bool opt_in = !address || (set != all.dynamic_shared.end() &&
                                   static_cast<std::size_t>(set->second) >= work.config.shared);
  auto error = simt::check_launch(*all.gpu, work.config.grid, work.config.block, 0,
                                  work.config.shared, opt_in);
  if (!error && address)
    error = simt::check_launch_bounds(simt::library_of(address).launch_bounds(address),
                                      work.config.block);
  return error;
}

/// All blocks of a cooperative launch run at the same time.
bool is_too_large(const State& all, const Config& config) {
  const std::uint64_t blocks = std::uint64_t{config.grid.x} * config.grid.y * config.grid.z;
  const int threads = static_cast<int>(config.block.x * config.block.y * config.block.z);
  const int per_processor = simt::occupancy(*all.gpu, threads, config.shared).blocks;
  return blocks > static_cast<std::uint64_t>(per_processor) * kProcessors;
}

/// Checks what CUDA checks at the call. @return its error; the program should ask for it.
cudaError_t check(const State& all, const Work& work) {
  const auto error = error_of(all, work);
  if (!error && work.config.is_cooperative && is_too_large(all, work.config))
    return cudaErrorCooperativeLaunchTooLarge;
  if (!error) return cudaSuccess;
  thread.error_number = report_unless_asked(
      work.caller, "the launch of " + short_name(work.kernel.name) + " fails with " + error->name +
                       ": " + error->text +
                       ".\n  The program never asks for this error: call cudaGetLastError() after "
                       "each launch");
  return static_cast<cudaError_t>(error->code);
}

cudaError_t put(State& all, Stream& stream, const std::shared_ptr<Work>& work) {
  if (const cudaError_t error = check(all, *work)) return error;
  if (const cudaError_t error = check_pointers(all, *work)) {
    if (!stream.capture)
      enqueue(all, stream, [device = stream.device, error] {
        State& later = state();
        const std::lock_guard lock(later.mutex);
        later.devices[device].error = error;
      });
    return cudaSuccess;  // a GPU notices when the kernel runs
  }
  const std::string name = "the launch of " + short_name(work->kernel.name);
  enqueue(
      all, stream, [work] { run(*work); }, {kept_name(name)->c_str(), work->caller},
      uses_of(all, *work));
  return cudaSuccess;
}

/// The values that `arguments` point at. The first part of the data is the kernel's address.
void copy_values(Work& work, void** arguments) {
  std::memcpy(work.values.data, &work.kernel.address, sizeof work.kernel.address);
  for (std::size_t i = 0; i < work.kernel.count; ++i) {
    const Parameter& parameter = work.kernel.parameters[i];
    std::memcpy(work.values.data + parameter.offset, arguments[i], parameter.size);
  }
}

const Kernel* find_kernel(const State& all, const void* address) {
  const auto known = all.kernels.find(address);
  return known == all.kernels.end() ? nullptr : &known->second;
}

/// A kernel launches another. @return the error, also for its cudaGetLastError
cudaError_t launch_child(const Kernel& kernel, const Config& config, const void* arguments,
                         const void* caller) {
  State& all = state();
  const auto work = make_work(kernel, config, thread.device, caller);
  std::memcpy(work->values.data, arguments, kernel.bytes);
  {
    const std::lock_guard lock(all.mutex);
    thread.last_error = check(all, *work);
  }
  if (!thread.last_error) add_child(work);
  return thread.last_error;
}

}  // namespace

cudaError_t launch(const Kernel& kernel, const Config& config, const void* arguments) {
  const Call call{"the launch", TD_CUDA_CALLER};
  if (simt::in_kernel()) return launch_child(kernel, config, arguments, call.caller);
  return run_call(call, [&](State& all, Lock&) -> cudaError_t {
    if (kernel.bytes > 4096 + 64) return cudaErrorInvalidValue;
    Stream* const stream = find_stream(all, config.stream);
    if (!stream || stream->device != thread.device) return cudaErrorInvalidResourceHandle;
    const auto work = make_work(kernel, config, stream->device, call.caller);
    std::memcpy(work->values.data, arguments, kernel.bytes);
    return put(all, *stream, work);
  });
}

void* remember(const Kernel& kernel) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  all.kernels.try_emplace(kernel.address, kernel);
  return const_cast<void*>(kernel.address);
}

cudaError_t launch_remembered(const void* address, const Config& config, void** arguments) {
  const Call call{"cudaLaunchKernel", TD_CUDA_CALLER};
  return run_call(call, [&](State& all, Lock&) -> cudaError_t {
    const Kernel* const kernel = find_kernel(all, address);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    Stream* const stream = find_stream(all, config.stream);
    if (!stream) return cudaErrorInvalidResourceHandle;
    const auto work = make_work(*kernel, config, stream->device, call.caller);
    copy_values(*work, arguments);
    return put(all, *stream, work);
  });
}

cudaError_t work_of_kernel(State& all, const cudaKernelNodeParams& parameters, const void* caller,
                           std::function<void()>& work) {
  const Kernel* const kernel = find_kernel(all, parameters.func);
  if (!kernel) return cudaErrorInvalidDeviceFunction;
  const Config config{parameters.gridDim, parameters.blockDim, parameters.sharedMemBytes};
  const auto made = make_work(*kernel, config, thread.device, caller);
  copy_values(*made, parameters.kernelParams);
  work = [made] { run(*made); };
  const cudaError_t error = check(all, *made);
  return error ? error : check_pointers(all, *made);
}

}  // namespace td::cudart
