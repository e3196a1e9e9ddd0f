// Runs the core's device code on the SIMT machine, under all observers. See language.h.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "kernel_launch.h"
#include "language.h"
#include "simt/observe/observers.h"
#include "simt/run.h"
#include "td/base/error.h"
#include "td/device/device.h"
#include "td/device/record.h"

/// memcpy without the hooks that this library's calls of it go to (cmake/Kernels.cmake).
extern "C" void* __real_memcpy(void* to, const void* from, std::size_t bytes);

namespace td::device_code {
namespace {

using cuda_stand_in::KernelFault;
using cuda_stand_in::NamedMemory;

/// The launch of the core whose kernels this thread starts; null outside of one.
thread_local const char* name_of_launch = nullptr;
thread_local std::vector<NamedMemory> memory_of_launch;

/// What the kernel may access. The value of a tensor of the host with one element is among the
/// arguments of the kernel, not in memory.
std::vector<NamedMemory> memory_of(const Record& record) {
  std::vector<NamedMemory> all;
  for (int i = 0; i < record.reads + record.writes; ++i) {
    const Extent& extent = record.extents[i];
    const bool is_number =
        extent.bytes <= sizeof(double) && cuda_stand_in::memory_device(extent.data) < 0;
    if (extent.bytes > 0 && !is_number)
      all.push_back({extent.data, extent.bytes, i >= record.reads});
  }
  return all;
}

std::vector<simt::PointerArgument> arguments_of(const std::vector<NamedMemory>& memory) {
  std::vector<simt::PointerArgument> all;
  int operands = 0, results = 0;
  for (const NamedMemory& one : memory) {
    simt::PointerArgument argument;
    argument.is_const = !one.writes;
    argument.name = one.writes ? "result " + std::to_string(results++)
                               : "operand " + std::to_string(operands++);
    argument.begin = reinterpret_cast<std::uintptr_t>(cuda_stand_in::device_view(one.data));
    argument.bytes = one.bytes;
    argument.type = "byte";
    all.push_back(std::move(argument));
  }
  return all;
}

/// cudaErrorIllegalAddress, cudaErrorMisalignedAddress or cudaErrorLaunchFailure.
int code_of(const simt::Finding& finding) {
  using Kind = simt::Finding::Kind;
  if (finding.kind == Kind::kOutOfBounds || finding.kind == Kind::kHostMemory) return 700;
  return finding.kind == Kind::kMisaligned ? 716 : 719;
}

void run_observed(simt::Launch& launch) {
  // Kept until a launch fails, because preparing for the shared memory of all kernels of the core
  // is expensive.
  thread_local std::unique_ptr<simt::Observers> observers;
  if (!observers) observers = std::make_unique<simt::Observers>(simt::gpu("H100"));
  simt::run(launch, observers.get(), {});
  for (const simt::KernelReport& report : observers->take())
    if (const simt::Finding* fault = report.first_fault()) {
      observers.reset();
      throw KernelFault{code_of(*fault), fault->text};
    }
}

void run(simt::Launch& launch) {
  // For a test of very large tensors, which looks at their edges only. Observers would take more
  // memory than the tensors.
  if (const char* const edges = std::getenv("TD_STAND_IN_EDGES")) {
    simt::Observer none;
    simt::run(launch, &none, {.edge_blocks = static_cast<std::uint32_t>(std::atoi(edges))});
    return;
  }
  static const char* const observe = std::getenv("TD_STAND_IN_OBSERVE");
  if (!observe || std::strcmp(observe, "0") != 0) return run_observed(launch);
  for (const simt::Finding& finding : simt::run(launch, nullptr, {}))
    throw KernelFault{code_of(finding), finding.text};
}

/// The arguments of a kernel. The launch of more bytes is rejected.
struct Call {
  static constexpr std::size_t kMostBytes = 4096;
  void (*kernel)(const void* arguments);
  std::size_t bytes;
  alignas(16) std::byte arguments[kMostBytes];
};

/// Calls the kernel for one thread, which finds the arguments on its own stack: on a GPU they are
/// in constant memory, so that reading them is no access for the observers.
void call_kernel(const void* all) {
  const auto& call = *static_cast<const Call*>(all);
  alignas(16) std::byte arguments[sizeof call.arguments];
  __real_memcpy(arguments, call.arguments, call.bytes);
  call.kernel(arguments);
}

}  // namespace

Launching::Launching(const Record& record) {
  name_of_launch = record.name;
  memory_of_launch = memory_of(record);
}
Launching::~Launching() { name_of_launch = nullptr; }

void launch(const void* kernel, dim3 grid, dim3 block, cudaStream_t stream,
            void (*call)(const void*), const void* arguments, std::size_t bytes,
            std::size_t shared) {
  TD_CHECK(Error, name_of_launch, "a kernel was started outside of td::launch");
  cuda_stand_in::KernelLaunch launch{name_of_launch,
                                     {grid.x, grid.y, grid.z},
                                     {block.x, block.y, block.z},
                                     shared,
                                     bytes,
                                     memory_of_launch,
                                     {}};
  const auto values = std::make_shared<Call>();
  values->kernel = call;
  values->bytes = std::min(bytes, Call::kMostBytes);
  std::memcpy(values->arguments, arguments, values->bytes);
  launch.run = [=, name = launch.name, extents = arguments_of(launch.memory)] {
    simt::Launch work;
    work.info.kernel = name;
    work.info.grid = grid;
    work.info.block = block;
    work.info.dynamic_shared = shared;
    work.info.arguments = extents;
    work.kernel = kernel;
    work.call = call_kernel;
    work.arguments = values.get();
    run(work);
  };
  cuda_stand_in::launch_kernel(std::move(launch), stream);
}

}  // namespace td::device_code
