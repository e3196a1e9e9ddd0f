// DataParallel: one model, several devices, one process. Every forward splits the batch, copies the
// model to all devices, runs the parts concurrently and joins the outputs; backward adds the
// gradients up on the first device. Names: Python's class and libtorch's function.
#pragma once

#include "td/nn/any_module.h"
#include "td/parallel/parallel_apply.h"
#include "td/parallel/replicate.h"
#include "td/parallel/scatter_gather.h"

namespace td::parallel {

/// All devices of the best kind there is: the GPUs, or else the sim devices, or else none.
std::vector<Device> all_accelerators();

/// What is wrong with devices of so many bytes of memory each: one has less than three quarters of
/// another's, and the larger will wait for the smaller. Empty when nothing is.
std::string imbalance(const std::vector<Device>& devices, const std::vector<std::size_t>& bytes);

}  // namespace td::parallel

namespace td::nn {

namespace parallel {

namespace detail {

inline Module& plain_module(AnyModule& module) { return *module.ptr(); }
template <class Pointer>
Module& plain_module(Pointer& module) {
  return *module;
}

/// A parameter or buffer that is not on `device`; undefined when all are there.
Tensor misplaced(const Module& module, Device device);
/// Python's check. @throws DeviceError unless every parameter and buffer is on `first`.
void check_placement(const Module& module, Device first);

/// One forward pass. R is what an AnyModule returns.
template <class R, class ModuleType, class Input>
auto data_parallel(ModuleType& module, const Input& input, std::vector<Device> devices,
                   const optional<Device>& output_device, std::int64_t dim) {
  if (devices.empty()) return call<R>(module, input);
  if constexpr (std::is_same_v<Input, std::tuple<>>) devices.resize(1, devices[0]);
  const Device destination = check_device(output_device.value_or(devices[0]));
  const std::vector<Input> inputs = scatter(input, devices, dim);
  if (devices.size() == 1) {
    auto output = call<R>(module, inputs[0]);
    td::detail::each_tensor(output, [&](Tensor& t) { t = t.to(destination); });
    return output;
  }
  devices.resize(inputs.size(), devices[0]);  // a small batch leaves devices without a part
  auto replicas = replicate(module, devices);
  return gather(results_of(devices, [&](std::size_t i) { return call<R>(replicas[i], inputs[i]); }),
                destination, dim);
}

}  // namespace detail

/// `module->forward(input)`, computed on several devices. It follows libtorch's function: the
/// module may be anywhere; it is copied to several devices, or moved to a single one. (The class
/// DataParallel follows Python's and refuses a module that is not on devices[0].)
/// @param module a shared_ptr, a holder or an AnyModule. What its forward writes into buffers stays
///     when they are on devices[0]; otherwise it is lost with the copies.
/// @param input a tensor, or a std::tuple of arguments, split along `dim`.
/// @param devices by default all GPUs or, where there is none, all sim devices. An empty list means
///     a plain call.
/// @param output_device where the output goes; by default devices[0].
/// @throws what a replica throws, with its device.
template <class ModuleType, class Input = Tensor>
auto data_parallel(ModuleType module, Input input,
                   const optional<std::vector<Device>>& devices = nullopt,
                   const optional<Device>& output_device = nullopt, std::int64_t dim = 0) {
  const std::vector<Device> on = devices ? *devices : td::parallel::all_accelerators();
  if (on.size() == 1 &&
      detail::misplaced(detail::plain_module(module), check_device(on[0])).defined())
    detail::plain_module(module).to(on[0]);
  return detail::data_parallel<Tensor>(module, input, on, output_device, dim);
}

}  // namespace parallel

/// A module that computes another one on several devices, Python's `nn.DataParallel`. Its
/// parameters are those of the module, under names with "module." in front.
class DataParallelImpl : public Module {
 public:
  /// How a Sequential calls it.
  using PlainForward = Tensor (DataParallelImpl::*)(const Tensor&);

  /// The arguments are those of nn::parallel::data_parallel. As in Python, `module` may be moved to
  /// device_ids[0] later; forward checks. Writes a warning when the devices have unequal memories.
  explicit DataParallelImpl(AnyModule module,
                            const optional<std::vector<Device>>& device_ids = nullopt,
                            const optional<Device>& output_device = nullopt, std::int64_t dim = 0);

  /// The module's output for a batch; both may be anywhere.
  /// @throws DeviceError unless all parameters and buffers are on device_ids[0].
  Tensor forward(const Tensor& input) { return forward<Tensor>(input); }
  /// The same for other arguments and results: `forward<std::tuple<Tensor, Tensor>>(x, mask)`.
  template <class R, class... Arguments>
  R forward(const Arguments&... arguments) {
    if (!device_ids_.empty()) parallel::detail::check_placement(*module_.ptr(), device_ids_[0]);
    return parallel::detail::data_parallel<R>(module_, std::tuple<Arguments...>(arguments...),
                                              device_ids_, output_device_, dim_);
  }

  /// The module inside.
  const AnyModule& module() const { return module_; }
  /// The devices that it may use. Empty: forward is a plain call.
  const std::vector<Device>& device_ids() const { return device_ids_; }
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;

 private:
  AnyModule module_;
  std::vector<Device> device_ids_;
  optional<Device> output_device_;
  std::int64_t dim_;
};

/// A model on several devices: `nn::DataParallel parallel(model, {"sim:0", "sim:1"});`
/// Holder of DataParallelImpl.
class DataParallel : public ModuleHolder<DataParallelImpl> {
 public:
  using ModuleHolder<DataParallelImpl>::ModuleHolder;
  using Impl = DataParallelImpl;
  DataParallel(AnyModule module, std::vector<Device> device_ids,
               const optional<Device>& output_device = nullopt, std::int64_t dim = 0)
      : ModuleHolder(std::make_shared<DataParallelImpl>(std::move(module), std::move(device_ids),
                                                        output_device, dim)) {}
};

}  // namespace td::nn
