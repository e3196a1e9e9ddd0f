// Runs launches on the SIMT machine, plain or observed. Invariant: one kernel runs at a time.
#include "cuda/work.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cuda/kernel_address.h"
#include "cuda/program_observer.h"
#include "cuda/report.h"
#include "simt/debug_info.h"
#include "simt/run.h"

namespace td::cudart {
namespace {

/// Calls the kernel for one thread, which finds the arguments on its own stack: on a GPU they are
/// in constant memory, so that reading them is no access for the observers.
void call_kernel(const void* all) {
  const auto& values = *static_cast<const Work::Values*>(all);
  alignas(64) char data[sizeof values.data];
  std::memcpy(data, values.data, values.bytes);
  values.call(data);
}

}  // namespace

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

namespace {

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

/// What kernels have launched, and what has not run yet.
struct Children {
  std::mutex mutex;
  std::vector<std::shared_ptr<Work>> waiting;
};
Children& children() {
  static auto& all = *new Children;
  return all;
}

cudaError_t run_one(const Work& work) {
  simt::Launch launch;
  launch.info.kernel = short_name(work.kernel.name);
  launch.info.grid = work.config.grid;
  launch.info.block = work.config.block;
  launch.info.dynamic_shared = work.config.shared;
  launch.info.is_cooperative = work.config.is_cooperative;
  launch.kernel = settings().observes() ? address_of(work.kernel, launch.info.kernel)
                  : work.kernel.address ? work.kernel.address
                                        : reinterpret_cast<const void*>(work.kernel.call);
  launch.call = work.values.call;
  launch.arguments = work.values.data;
  if (settings().observes()) {
    launch.call = call_kernel;
    launch.arguments = &work.values;
    name_kernel(work, launch);
    add_memory(work, launch);
  }
  return settings().observes() ? run_observed(launch) : run_plain(launch);
}

/// The launches of the kernels that have ended, in their order.
std::vector<std::shared_ptr<Work>> take_children() {
  Children& all = children();
  const std::lock_guard lock(all.mutex);
  return std::exchange(all.waiting, {});
}

}  // namespace

void run(const Work& work) {
  cudaError_t error = run_one(work);
  for (auto waiting = take_children(); !waiting.empty(); waiting = take_children())
    for (const auto& child : waiting)
      if (!error) error = run_one(*child);
  if (!error) return;
  State& all = state();
  const std::lock_guard lock(all.mutex);
  all.devices[work.device].error = error;
}

void add_child(std::shared_ptr<Work> work) {
  Children& all = children();
  const std::lock_guard lock(all.mutex);
  all.waiting.push_back(std::move(work));
}

}  // namespace td::cudart
