// Runs the core's device code on the SIMT machine, under all observers. See language.h.
#include <cstdlib>
#include <deque>
#include <mutex>

#include "language.h"
#include "simt/observe/observers.h"
#include "simt/run.h"
#include "td/base/error.h"
#include "td/device/backend.h"
#include "td/device/record.h"

namespace td::device_code {

struct Memory {
  const char* name;
  std::vector<simt::PointerArgument> extents;
};

namespace {

thread_local const Memory* memory_of_launch = nullptr;

std::string shape(dim3 d) {
  return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
}

}  // namespace

const Memory* memory_of(const Record& record, Device device) {
  static std::mutex mutex;
  static auto& all = *new std::deque<Memory>;
  Memory memory{record.name, {}};
  for (int i = 0; i < record.reads + record.writes; ++i) {
    const Extent& extent = record.extents[i];
    simt::PointerArgument argument;
    argument.is_const = i < record.reads;
    argument.name = (argument.is_const ? "operand " : "result ") +
                    std::to_string(argument.is_const ? i : i - record.reads);
    void* const data = const_cast<void*>(extent.data);
    argument.begin = reinterpret_cast<std::uintptr_t>(
        device.is_cpu() ? data : backend(device.type()).kernel_address(device.index(), data));
    argument.bytes = extent.bytes;
    argument.type = "byte";
    memory.extents.push_back(std::move(argument));
  }
  std::lock_guard lock(mutex);
  return &all.emplace_back(std::move(memory));
}

Launching::Launching(const Memory* memory) { memory_of_launch = memory; }
Launching::~Launching() { memory_of_launch = nullptr; }

void run(const void* kernel, dim3 grid, dim3 block, void (*call)(const void*),
         const void* arguments, std::size_t bytes) {
  simt::Launch launch;
  launch.info.kernel = memory_of_launch->name;
  launch.info.grid = grid;
  launch.info.block = block;
  launch.info.arguments = memory_of_launch->extents;
  simt::PointerArgument values;
  values.name = "the launch's arguments";
  values.begin = reinterpret_cast<std::uintptr_t>(arguments);
  values.bytes = bytes;
  values.type = "byte";
  values.is_const = true;
  launch.info.arguments.push_back(std::move(values));
  launch.kernel = kernel;
  launch.call = call;
  launch.arguments = arguments;
  const simt::GpuLimits& gpu = simt::gpu("H100");
  if (const auto error = simt::check_launch(gpu, grid, block, 0, 0))
    fail<Error>(launch.info.kernel, ": the launch of ", shape(grid), " blocks of ", shape(block),
                " threads is refused with ", error->name, ": ", error->text);
  // For a test of very large tensors, which looks at their edges only. Observers would take more
  // memory than the tensors.
  if (const char* const edges = std::getenv("TD_DEVICE_CODE_EDGES")) {
    simt::Observer none;
    simt::run(launch, &none, {.edge_blocks = static_cast<std::uint32_t>(std::atoi(edges))});
    return;
  }
#ifdef TD_DEVICE_CODE_COVERAGE
  for (const simt::Finding& finding : simt::run(launch, nullptr, {})) throw Error(finding.text);
#else
  simt::Observers observers(gpu);
  simt::run(launch, &observers, {});
  for (const simt::KernelReport& report : observers.take())
    if (const simt::Finding* fault = report.first_fault()) throw Error(fault->text);
#endif
}

}  // namespace td::device_code
