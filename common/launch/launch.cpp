// Checks a launch, and passes it to the device: a Record for sim, cudaLaunchKernel for cuda.
#include "launch/launch.h"

#include <mutex>
#include <set>

#include "launch/cuda_launch.h"
#include "sim/sim.h"
#include "simt/observation.h"
#include "simt/run.h"
#include "td/device/backend.h"
#include "td/device/context.h"
#include "td/device/record.h"

namespace td::simt::detail {
namespace {

/// Keeps one copy of each value for the life of the process, because records own nothing.
template <class T>
const T& kept(const T& value) {
  static std::mutex mutex;
  static auto& values = *new std::set<T>;
  std::lock_guard lock(mutex);
  return *values.insert(value).first;
}

/// What a kernel of sim needs besides the values of its parameters. Copied as bytes.
struct Work {
  static constexpr std::size_t kMostTensors = 32, kMostBytes = 256;
  const char* name;
  const void* kernel;
  void (*call)(const void*);
  const KernelType::Parameter* parameters;
  dim3 grid, block;
  std::size_t shared;
  double flops;
  bool is_cooperative;
  std::uint32_t tensors;
  const std::vector<std::int64_t>* sizes[kMostTensors];  // of the tensors
  std::uint8_t element_bytes[kMostTensors];
  std::uint16_t positions[kMostTensors];  // which parameters they are
  /// Pointers are the kernel view's. More bytes are elsewhere.
  alignas(16) char values[kMostBytes];
  const std::vector<char>* more_values;

  const char* all_values() const { return more_values ? more_values->data() : values; }
  Launch launch() const;
  void operator()() const {
    Launch l = launch();
    run_or_observe(l);
  }
};

Launch Work::launch() const {
  Launch l;
  l.info.kernel = name;
  l.info.grid = grid;
  l.info.block = block;
  l.info.dynamic_shared = shared;
  l.info.flops = flops;
  l.info.is_cooperative = is_cooperative;
  l.kernel = kernel;
  l.call = call;
  l.arguments = all_values();
  for (std::size_t i = 0; i < tensors; ++i) {
    const KernelType::Parameter& p = parameters[positions[i]];
    PointerArgument argument;
    std::memcpy(&argument.begin, all_values() + p.offset, sizeof argument.begin);
    std::int64_t elements = 1;
    for (const std::int64_t size : *sizes[i]) elements *= size;
    argument.bytes = static_cast<std::size_t>(elements) * element_bytes[i];
    argument.element_size = p.element_size;
    argument.type = p.is_void ? "" : p.element;
    argument.sizes = *sizes[i];
    argument.is_const = p.is_const;
    l.info.arguments.push_back(std::move(argument));
    l.positions.push_back(positions[i]);
  }
  return l;
}

std::string place(const KernelType& kernel, std::size_t i) {
  return std::string(kernel.name) + ": argument " + std::to_string(i + 1);
}

/// Checks the tensors and returns the device that all of them are on; where there is none, the one
/// of the launch.
Device check_tensors(const KernelType& kernel, const LaunchConfig& config,
                     const Argument* arguments) {
  const Tensor* first = nullptr;
  for (std::size_t i = 0; i < kernel.count; ++i) {
    const Tensor* const t = arguments[i].tensor;
    if (!t) continue;
    TD_CHECK(Error, t->defined(), place(kernel, i), " is an undefined tensor; create it first");
    if (!first) first = t;
    TD_CHECK(DeviceError, t->device() == first->device(), place(kernel, i), " is on ", t->device(),
             ", but an earlier one is on ", first->device(), "; move all of them to one device");
    const auto& p = kernel.parameters[i];
    TD_CHECK(DtypeError, p.is_void || t->dtype() == p.dtype, place(kernel, i), " is a tensor of ",
             t->dtype(), ", but the kernel takes ", p.is_const ? "const " : "", p.element,
             "*, which is ", p.dtype, "; convert it with to()");
    TD_CHECK(Error, t->is_contiguous(), place(kernel, i),
             " is not contiguous, and a kernel counts elements in memory; pass contiguous()");
  }
  TD_CHECK(DeviceError, first || !config.device.is_cpu(), kernel.name,
           ": no argument is a tensor, so no device is chosen; name it in the launch: "
           "{.grid = ..., .block = ..., .device = \"sim:0\"}");
  const Device device = first ? first->device() : config.device;
  TD_CHECK(DeviceError, !device.is_cpu(), kernel.name,
           ": the tensors are on cpu, and kernels run "
           "on sim and cuda; move the tensors to sim:0");
  return device;
}

/// The values of the parameters as a kernel of the device gets them, each at its offset in `to`.
void store_values(const KernelType& kernel, const Argument* arguments, Device device, char* to) {
  for (std::size_t i = 0; i < kernel.count; ++i) {
    const auto& p = kernel.parameters[i];
    if (const Tensor* t = arguments[i].tensor) {
      void* const address = backend(device.type()).kernel_address(device.index(), t->data_ptr());
      std::memcpy(to + p.offset, &address, sizeof address);
    } else {
      std::memcpy(to + p.offset, arguments[i].value, p.size);
    }
  }
}

void add_extents(const KernelType& kernel, const Argument* arguments, Record& record) {
  const auto add = [&](bool wants_writes) {
    for (std::size_t i = 0; i < kernel.count; ++i) {
      const Tensor* const t = arguments[i].tensor;
      if (!t || t->numel() == 0) continue;
      const bool writes = !kernel.parameters[i].is_const;
      if (!wants_writes) record.reads_from(t->data_ptr(), t->nbytes());
      if (wants_writes && writes) record.writes_to(t->data_ptr(), t->nbytes());
    }
  };
  add(false);
  add(true);
}

/// The launch's name, and what it reads and writes; without its work.
Record record_of(const KernelType& kernel, const Argument* arguments) {
  Record record(kept(std::string(kernel.name)).c_str());
  add_extents(kernel, arguments, record);
  return record;
}

void add_tensors(const KernelType& kernel, const Argument* arguments, Work& work) {
  for (std::size_t i = 0; i < kernel.count; ++i) {
    const Tensor* const t = arguments[i].tensor;
    if (!t) continue;
    TD_CHECK(Error, work.tensors < Work::kMostTensors, kernel.name, ": more than ",
             Work::kMostTensors, " arguments are tensors");
    work.sizes[work.tensors] =
        &kept(std::vector<std::int64_t>(t->sizes().begin(), t->sizes().end()));
    work.element_bytes[work.tensors] = static_cast<std::uint8_t>(element_size(t->dtype()));
    work.positions[work.tensors++] = static_cast<std::uint16_t>(i);
  }
}

void launch_on_sim(const KernelType& kernel, const LaunchConfig& config, const Argument* arguments,
                   Device device) {
  Record record = record_of(kernel, arguments);
  Work work{record.name,
            kernel.address,
            kernel.call,
            kernel.parameters,
            config.grid,
            config.block,
            config.shared,
            config.flops,
            config.is_cooperative,
            0,
            {},
            {},
            {},
            {},
            nullptr};
  add_tensors(kernel, arguments, work);
  if (kernel.bytes <= Work::kMostBytes) {
    store_values(kernel, arguments, device, work.values);
  } else {
    std::vector<char> values(kernel.bytes);
    store_values(kernel, arguments, device, values.data());
    work.more_values = &kept(values);
  }
  record.set_work(work);
  if (observed) tell_issued(record, device);
  backend(device.type()).submit(record, device.index(), current_native_stream(device));
}

void launch_on_cuda(const KernelType& kernel, const LaunchConfig& config, const Argument* arguments,
                    Device device) {
  std::vector<char> values(kernel.bytes);
  std::vector<void*> pointers(kernel.count);
  store_values(kernel, arguments, device, values.data());
  for (std::size_t i = 0; i < kernel.count; ++i)
    pointers[i] = values.data() + kernel.parameters[i].offset;
  const Record record = record_of(kernel, arguments);
  if (observed) tell_issued(record, device);
  const auto [x, y, z] = config.grid;
  const auto [bx, by, bz] = config.block;
  simt::launch_on_cuda({record,
                        kernel.address,
                        kernel.call,
                        {x, y, z},
                        {bx, by, bz},
                        config.shared,
                        config.is_cooperative,
                        pointers.data(),
                        values.data(),
                        values.size(),
                        device});
}

}  // namespace

void launch_kernel(const KernelType& kernel, const LaunchConfig& config,
                   const Argument* arguments) {
  const Device device = check_tensors(kernel, config, arguments);
  for (std::size_t i = 0; i < kernel.count; ++i)  // backward() must see that a saved tensor changes
    if (arguments[i].tensor && !kernel.parameters[i].is_const)
      arguments[i].tensor->impl().storage->bump_version();
  if (device.is_cuda()) return launch_on_cuda(kernel, config, arguments, device);
  check_config(std::string(kernel.name), kernel.address, config.grid, config.block, config.shared);
  launch_on_sim(kernel, config, arguments, device);
}

}  // namespace td::simt::detail
