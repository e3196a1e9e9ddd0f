// DataParallel: one model, several devices, one process. Every forward splits the batch (scatter),
// copies the model to all devices (replicate), runs the parts concurrently (parallel_apply) and
// joins the outputs (gather); backward sums the gradients on the first device. Names: Python's
// class and libtorch's function. Invariant: where a tensor of the original is on the first device,
// replica 0 has its memory, so what its forward writes into a buffer stays; what is written into
// copies is lost with them.
#pragma once

#include "parallel/comm.h"
#include "parallel/parallel_apply.h"
#include "td/nn/sequential.h"
#include "td/tensor/nest.h"

namespace td::parallel {

/// All devices of the best kind there is: the GPUs, or else the sim devices, or else none.
std::vector<Device> all_accelerators();

/// Describes what is wrong with devices of these memory sizes in bytes: one has less than three
/// quarters of another's, and the larger will wait for the smaller. Empty when nothing is.
std::string imbalance(const std::vector<Device>& devices, const std::vector<std::size_t>& bytes);

}  // namespace td::parallel

namespace td::nn {

namespace parallel {

namespace detail {

/// Splits each tensor; parts[t][i] is for device i. All need the same size along `dim`.
std::vector<TensorList> scatter_all(const TensorList& tensors, const std::vector<Device>& devices,
                                    std::int64_t dim);
/// Gives replicas that share the memory of `module` their own: replica i on devices[i], by one
/// broadcast, recorded for parameters that require grad.
void fill_replicas(const Module& module, const std::vector<Module*>& replicas,
                   const std::vector<Device>& devices);
/// tensors[i] are the outputs of replica i. @throws Error when `alike` says they do not match.
TensorList gather_all(const std::vector<TensorList>& tensors, bool alike, Device destination,
                      std::int64_t dim);

}  // namespace detail

/// One input for each device that gets a part; with few rows, these are fewer than the devices.
/// Values that are no tensors are copied; what a pointer points to is then shared by all replicas.
/// @throws ShapeError when tensors differ in size along `dim`, which PyTorch passes over by
/// dropping
///     rows.
template <class Inputs>
std::vector<Inputs> scatter(const Inputs& inputs, const std::vector<Device>& devices,
                            std::int64_t dim = 0) {
  const TensorList tensors = td::tensors_in(inputs);
  if (tensors.empty()) return std::vector<Inputs>(devices.size(), inputs);
  const std::vector<TensorList> parts = detail::scatter_all(tensors, devices, dim);
  std::vector<Inputs> all(parts[0].size(), inputs);
  for (std::size_t i = 0; i < all.size(); ++i) {
    TensorList own;
    for (const TensorList& of_tensor : parts) own.push_back(of_tensor[i]);
    td::replace_tensors(all[i], own);
  }
  return all;
}

/// Replicas of a module whose classes derive from nn::Cloneable. Their parameters are results of a
/// broadcast, not leaves: a gradient flows on to the original's parameters, where those of all
/// replicas accumulate. Do not give them to an optimizer.
/// As in libtorch the module may be anywhere. What is on devices[0] is not copied for replica 0.
/// @param devices may name a device several times.
/// @param module a shared_ptr, a holder or an AnyModule; the replicas are of the same kind.
/// @throws Error when the module cannot be cloned.
template <class Handle>
auto replicate(const Handle& module, const std::vector<Device>& devices) {
  std::vector<decltype(nn::detail::clone_of(module))> replicas;
  std::vector<Module*> modules;
  {
    SharedCloneGuard sharing;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      replicas.push_back(nn::detail::clone_of(module));
      modules.push_back(nn::detail::pointer_of(replicas.back()).get());
    }
  }
  detail::fill_replicas(*nn::detail::pointer_of(module), modules, devices);
  return replicas;
}

/// One output from all replicas', each tensor inside joined along `dim` on `destination`.
template <class Outputs>
Outputs gather(const std::vector<Outputs>& outputs, Device destination, std::int64_t dim = 0) {
  using Nest = td::detail::Nest<Outputs>;
  static_assert(Nest::kOnlyTensors,
                "only tensors can be gathered, in containers or not: let forward() return a number "
                "as a tensor without dimensions");
  TD_CHECK(Error, !outputs.empty(), "gather: no outputs; give at least one");
  std::vector<TensorList> tensors;
  bool alike = true;
  for (const Outputs& output : outputs) {
    tensors.push_back(td::tensors_in(output));
    alike = alike && Nest::alike(output, outputs[0]);
  }
  Outputs joined = outputs[0];
  td::replace_tensors(joined, detail::gather_all(tensors, alike, destination, dim));
  return joined;
}

namespace detail {

/// A parameter or buffer that is not on `device`; undefined when all are there.
Tensor misplaced(const Module& module, Device device);
/// @throws DeviceError unless every parameter and buffer is on `first`, as in Python.
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
/// DataParallel follows Python's and rejects a module that is not on devices[0].)
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
      detail::misplaced(*nn::detail::pointer_of(module), check_device(on[0])).defined())
    nn::detail::pointer_of(module)->to(on[0]);
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
  Tensor forward(const Tensor& input);
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
               const optional<Device>& output_device = nullopt, std::int64_t dim = 0);
};

}  // namespace td::nn
