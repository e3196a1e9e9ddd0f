// replicate: one model becomes several, each on a device of its own, all feeding the gradients of
// the one. DataParallel calls it in every forward. Invariant: where a tensor of the original is on
// the first device, replica 0 has its memory, so what its forward writes into a buffer stays; what
// is written into copies is lost with them.
#pragma once

#include "td/nn/any_module.h"
#include "td/nn/module.h"

namespace td::nn::parallel {

namespace detail {

/// Gives replicas that share the memory of `module` their own: replica i on devices[i], by one
/// broadcast, recorded for parameters that require grad.
void fill_replicas(const Module& module, const std::vector<std::shared_ptr<Module>>& replicas,
                   const std::vector<Device>& devices);

}  // namespace detail

/// Replicas of a module whose classes derive from nn::Cloneable. Their parameters are results of a
/// broadcast, not leaves: a gradient goes on to the original's parameters, where those of all
/// replicas add up. Do not give them to an optimizer.
/// As in libtorch the module may be anywhere. What is on devices[0] is not copied for replica 0.
/// @param devices may name a device several times.
/// @throws Error when the module cannot be cloned.
/// @{
template <class M, class = std::enable_if_t<std::is_base_of_v<Module, M>>>
std::vector<std::shared_ptr<M>> replicate(const std::shared_ptr<M>& module,
                                          const std::vector<Device>& devices) {
  std::vector<std::shared_ptr<M>> replicas;
  std::vector<std::shared_ptr<Module>> modules;
  {
    SharedCloneGuard sharing;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      modules.push_back(module->clone());
      replicas.push_back(std::dynamic_pointer_cast<M>(modules.back()));
    }
  }
  detail::fill_replicas(*module, modules, devices);
  return replicas;
}
template <class M>
std::vector<ModuleHolder<M>> replicate(const ModuleHolder<M>& module,
                                       const std::vector<Device>& devices) {
  std::vector<ModuleHolder<M>> replicas;
  for (auto& replica : replicate(module.ptr(), devices)) replicas.emplace_back(replica);
  return replicas;
}
std::vector<AnyModule> replicate(const AnyModule& module, const std::vector<Device>& devices);
/// @}

}  // namespace td::nn::parallel
