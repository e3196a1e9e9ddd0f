// parallel_apply: every replica computes its part of the batch, concurrently, in a thread of its
// own: a forward pass on the cpu computes in that thread, and one on an accelerator spends its time
// launching. data_parallel calls it, and strategies by hand do.
#pragma once

#include <functional>
#include <tuple>
#include <vector>

#include "td/nn/any_module.h"
#include "td/tensor/nest.h"

namespace td {

namespace parallel {
/// Calls work(i) for every device, concurrently, with devices[i] current; work(0) runs in the
/// calling thread. The caller's gradient mode, inference mode, current devices and streams apply in
/// all of them. Each draws random numbers from a sequence of its own, so that the same seed gives
/// the same numbers, whichever thread is first. Replicas on the cpu divide the caller's cores.
/// Every thread is done when this returns.
/// @throws what the replica with the lowest number threw, its message after "replica 1 on sim:1: ".
///     The type is kept for td's errors and the standard's; another type keeps its message, too.
void run_replicas(const std::vector<Device>& devices, const std::function<void(std::size_t)>& work);

}  // namespace parallel

namespace nn::parallel {

namespace detail {

/// Calls forward with an input; a tuple is a list of arguments. Returns an R when the module is an
/// AnyModule, and what the module's type says otherwise.
template <class R = Tensor, class ModuleType, class... Arguments>
auto call(ModuleType& module, const std::tuple<Arguments...>& arguments) {
  const auto forward = [&](const Arguments&... argument) {
    if constexpr (std::is_same_v<ModuleType, AnyModule>)
      return module.template forward<R>(argument...);
    else
      return module->forward(argument...);
  };
  return std::apply(forward, arguments);
}
template <class R = Tensor, class ModuleType, class Input>
auto call(ModuleType& module, const Input& input) {
  return call<R>(module, std::tie(input));
}

/// What f(0), f(1), ... return, each called in the thread of a replica.
template <class F>
auto results_of(const std::vector<Device>& devices, F&& f) {
  using Result = decltype(f(std::size_t{0}));
  std::vector<std::optional<Result>> results(devices.size());
  td::parallel::run_replicas(devices, [&](std::size_t i) { results[i] = f(i); });
  std::vector<Result> all;
  for (std::optional<Result>& result : results) all.push_back(std::move(*result));
  return all;
}

/// @throws Error unless there is one input and one device for each module.
void check_counts(std::size_t modules, std::size_t inputs, std::size_t devices);
/// Where the first tensor of each input is; the cpu for an input without one.
Device device_of(const TensorList& tensors);

}  // namespace detail

/// Calls modules[i]->forward(inputs[i]) with devices[i] current, each in a thread of its own, under
/// the caller's gradient mode and current streams. Modules are shared_ptrs, holders or AnyModules;
/// a std::tuple is a list of arguments.
/// @param devices by default those of the inputs.
/// @return the results, in the order of the modules.
/// @throws Error when the numbers differ; what a replica threw, with its number and device.
template <class ModuleType, class Input>
auto parallel_apply(std::vector<ModuleType>& modules, const std::vector<Input>& inputs,
                    const optional<std::vector<Device>>& devices = nullopt) {
  detail::check_counts(modules.size(), inputs.size(), devices ? devices->size() : inputs.size());
  std::vector<Device> places = devices.value_or(std::vector<Device>());
  if (!devices)
    for (const Input& input : inputs) places.push_back(detail::device_of(td::tensors_in(input)));
  return detail::results_of(places,
                            [&](std::size_t i) { return detail::call(modules[i], inputs[i]); });
}

}  // namespace nn::parallel
}  // namespace td
