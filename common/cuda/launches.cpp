// Launches: checked as CUDA checks them, then queued. What runs is the kernel itself, on the SIMT
// machine. Invariant: arguments are copied at the call.
#include <algorithm>
#include <cstring>

#include "cuda/graph.h"
#include "cuda/kernel_address.h"
#include "cuda/program_observer.h"
#include "cuda/report.h"
#include "cuda/state.h"
#include "simt/debug_info.h"
#include "simt/library.h"
#include "simt/run.h"

namespace td::cudart {
namespace {

/// A launch that waits in the queue or is part of a graph.
struct Work {
  Kernel kernel;
  Config config;
  int device;
  const void* caller;
  /// What the machine passes to each thread.
  struct Values {
    void (*call)(const void*);
    std::size_t bytes;
    alignas(64) char data[4096 + 64];
  } values;
};

/// Calls the kernel for one thread, which finds the arguments on its own stack: on a GPU they are
/// in constant memory, so that reading them is no access for the observers.
void call_kernel(const void* all) {
  const auto& values = *static_cast<const Work::Values*>(all);
  alignas(64) char data[sizeof values.data];
  std::memcpy(data, values.data, values.bytes);
  values.call(data);
}

/// "add" for "math::add<float, 4>".
std::string short_name(const char* name) {
  std::string text(name);
  text.resize(text.find('<') == text.npos ? text.size() : text.find('<'));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text.substr(text.find_last_of(":&( ") + 1);
}

const void* value_of(const Work& work, std::size_t i) {
  const void* value;
  std::memcpy(&value, work.values.data + work.kernel.parameters[i].offset, sizeof value);
  return value;
}

/// The memory that the launch may reach: what its pointers point at, then all other blocks.
void add_memory(const Work& work, simt::Launch& launch) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  std::set<std::uintptr_t> whole;
  for (std::size_t i = 0; i < work.kernel.count; ++i) {
    const Parameter& parameter = work.kernel.parameters[i];
    if (!parameter.is_pointer) continue;
    const Found found = find_memory(all, value_of(work, i), 1);
    if (!found.block) continue;
    simt::PointerArgument argument;
    argument.begin = reinterpret_cast<std::uintptr_t>(value_of(work, i));
    argument.bytes = found.begin + found.block->bytes - argument.begin;
    const Element& element = parameter.element.size > 1 ? parameter.element : found.block->element;
    argument.element_size = element.size;
    argument.type = element.type;
    argument.is_const = parameter.is_const;
    if (argument.begin == found.begin) whole.insert(found.begin);
    launch.info.arguments.push_back(std::move(argument));
    launch.positions.push_back(i);
  }
  for (const auto& [begin, block] : all.memory) {
    if (whole.count(begin)) continue;
    simt::PointerArgument argument;
    argument.name = "the memory of " + place_of(block.made);
    argument.begin = begin;
    argument.bytes = block.bytes;
    argument.element_size = block.element.size;
    argument.type = block.element.type;
    launch.info.arguments.push_back(std::move(argument));
  }
}

/// What a GPU reports for the fault.
cudaError_t code_of(const simt::Finding& finding) {
  using Kind = simt::Finding::Kind;
  const auto has = [&](const char* words) { return finding.text.find(words) != std::string::npos; };
  switch (finding.kind) {
    case Kind::kOutOfBounds:
    case Kind::kHostMemory:
      return cudaErrorIllegalAddress;
    case Kind::kMisaligned:
      return cudaErrorMisalignedAddress;
    case Kind::kTrap:
      return has("assertion `")                  ? cudaErrorAssert
             : has("cudaErrorLaunchTimeout")     ? cudaErrorLaunchTimeout
             : has("cudaErrorMisalignedAddress") ? cudaErrorMisalignedAddress
             : has("where there is no memory")   ? cudaErrorIllegalAddress
                                                 : cudaErrorLaunchFailure;
    case Kind::kBarrier:
    case Kind::kMask:
    case Kind::kOtherThreadsLocal:
      return cudaErrorLaunchFailure;
    default:  // a race and an uninitialized value do not stop a GPU
      return cudaSuccess;
  }
}

cudaError_t run_observed(simt::Launch& launch) {
  static auto& observers = *new ProgramObserver(*state().gpu);
  simt::RunOptions options;
  if (settings().is_reversed) options.order = simt::Order::kReversed;
  simt::run(launch, &observers, options);
  std::vector<simt::KernelReport> reports = observers.take();
  cudaError_t error = cudaSuccess;
  for (const simt::KernelReport& report : reports)
    for (const simt::Finding& finding : report.findings)
      if (!finding.is_note && !error) error = code_of(finding);
  add_reports(std::move(reports));
  return error;
}

cudaError_t run_plain(simt::Launch& launch) {
  for (const simt::Finding& fault : simt::run(launch, nullptr, {})) {
    add_fault(fault);
    if (const cudaError_t error = code_of(fault)) return error;
  }
  return cudaSuccess;
}

/// The kernel may be launched by another name, such as that of a pointer to it.
void name_kernel(const Work& work, simt::Launch& launch) {
  if (launch.kernel == reinterpret_cast<const void*>(work.kernel.call)) return;
  const simt::Site* const site =
      simt::describe_kernel(reinterpret_cast<std::uintptr_t>(launch.kernel)).site;
  if (site && !site->function.empty()) launch.info.kernel = site->function;
}

void run(const Work& work) {
  simt::Launch launch;
  launch.info.kernel = short_name(work.kernel.name);
  launch.info.grid = work.config.grid;
  launch.info.block = work.config.block;
  launch.info.dynamic_shared = work.config.shared;
  launch.info.is_cooperative = work.config.is_cooperative;
  launch.kernel = settings().observes() ? address_of(work.kernel, launch.info.kernel)
                  : work.kernel.address ? work.kernel.address
                                        : reinterpret_cast<const void*>(work.kernel.call);
  launch.call = call_kernel;
  launch.arguments = &work.values;
  if (settings().observes()) {
    name_kernel(work, launch);
    add_memory(work, launch);
  }
  const cudaError_t error = settings().observes() ? run_observed(launch) : run_plain(launch);
  if (!error) return;
  State& all = state();
  const std::lock_guard lock(all.mutex);
  all.devices[work.device].error = error;
}

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

/// What the launch may do with the memory at its pointers: with each to the end of its block.
std::vector<Use> uses_of(const State& all, const Work& work) {
  std::vector<Use> uses;
  for (std::size_t i = 0; i < work.kernel.count; ++i) {
    const Parameter& parameter = work.kernel.parameters[i];
    const void* const data = parameter.is_pointer ? value_of(work, i) : nullptr;
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

std::shared_ptr<Work> make_work(const Kernel& kernel, const Config& config, int device,
                                const void* caller) {
  auto work = std::make_shared<Work>();
  work->kernel = kernel;
  work->config = config;
  work->device = device;
  work->caller = caller;
  work->values.call = kernel.call;
  work->values.bytes = kernel.bytes;
  return work;
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

}  // namespace

cudaError_t launch(const Kernel& kernel, const Config& config, const void* arguments) {
  const Call call{"the launch", TD_CUDA_CALLER};
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
