#include "exercises.h"

// answer: by_address
// expect: but you returned one copy for both
// Two views may begin at one address and still be different tensors.
namespace by_address {
std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device) {
  std::map<void*, td::Tensor> done;
  std::map<std::string, td::Tensor> copies;
  for (const auto& [name, tensor] : state) {
    td::Tensor& copy = done[tensor.data_ptr()];
    if (!copy.defined()) copy = tensor.to(device, tensor.dtype(), false, /*copy=*/true);
    copies[name] = copy;
  }
  return copies;
}
}  // namespace by_address

// answer: by_memory_and_sizes
// expect: "a" and "b" have the same memory and the same sizes
// Takes every handle on one memory for one tensor.
namespace by_memory_and_sizes {
std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device) {
  std::map<std::string, td::Tensor> copies;
  for (const auto& [name, tensor] : state) {
    td::Tensor copy;
    for (const auto& [earlier, done] : copies)
      if (state.at(earlier).data_ptr() == tensor.data_ptr() &&
          state.at(earlier).sizes() == tensor.sizes() &&
          state.at(earlier).strides() == tensor.strides())
        copy = done;
    if (!copy.defined()) copy = tensor.detach().to(device, tensor.dtype(), false, /*copy=*/true);
    copies[name] = copy;
  }
  return copies;
}
}  // namespace by_memory_and_sizes

// answer: by_value
// expect: "a" and "b" only had equal values
namespace by_value {
std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device) {
  std::map<std::string, td::Tensor> copies;
  for (const auto& [name, tensor] : state) {
    td::Tensor copy;
    for (const auto& [earlier, done] : copies)
      if (state.at(earlier).sizes() == tensor.sizes() && td::equal(state.at(earlier), tensor))
        copy = done;
    if (!copy.defined()) copy = tensor.to(device, tensor.dtype(), false, /*copy=*/true);
    copies[name] = copy;
  }
  return copies;
}
}  // namespace by_value

// answer: copies_then_ties
// expect: 264 bytes to copy
// The result is right, but a tied tensor is copied once per name.
namespace copies_then_ties {
std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device) {
  std::map<std::string, td::Tensor> copies;
  for (const auto& [name, tensor] : state)
    copies[name] = tensor.detach().to(device, tensor.dtype(), false, /*copy=*/true);
  for (auto& [name, copy] : copies)
    for (auto& [other, twin] : copies)
      if (state.at(name).is_same(state.at(other)) && name < other) twin = copy;
  return copies;
}
}  // namespace copies_then_ties

// answer: does_not_wait
// expect: a tensor of sim:0 that queued work was still changing
// Passes non_blocking: towards the host, the call returns before the values have arrived.
namespace does_not_wait {
std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device) {
  std::map<std::string, td::Tensor> copies;
  for (const auto& [name, tensor] : state) {
    td::Tensor copy;
    for (const auto& [earlier, done] : copies)
      if (state.at(earlier).is_same(tensor)) copy = done;
    if (!copy.defined())
      copy = tensor.detach().to(device, tensor.dtype(), /*non_blocking=*/true, /*copy=*/true);
    copies[name] = copy;
  }
  return copies;
}
}  // namespace does_not_wait

// answer: in_the_graph
// expect: requires grad: copy w.detach()
// The copies are results of operations on the originals.
namespace in_the_graph {
std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device) {
  std::map<std::string, td::Tensor> copies;
  for (const auto& [name, tensor] : state) {
    td::Tensor copy;
    for (const auto& [earlier, done] : copies)
      if (state.at(earlier).is_same(tensor)) copy = done;
    copies[name] = copy.defined() ? copy : tensor.to(device, tensor.dtype(), false, /*copy=*/true);
  }
  return copies;
}
}  // namespace in_the_graph

// answer: one_by_one
// expect: the tie is lost
// Right on a state without ties.
namespace one_by_one {
std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device) {
  std::map<std::string, td::Tensor> copies;
  for (const auto& [name, tensor] : state)
    copies[name] = tensor.to(device, tensor.dtype(), false, /*copy=*/true);
  return copies;
}
}  // namespace one_by_one

// answer: ties_neighbors
// expect: is lost
// Compares an entry with the one before it only.
namespace ties_neighbors {
std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device) {
  std::map<std::string, td::Tensor> copies;
  td::Tensor last, last_copy;
  for (const auto& [name, tensor] : state) {
    if (!last.defined() || !last.is_same(tensor))
      last_copy = tensor.detach().to(device, tensor.dtype(), false, /*copy=*/true);
    last = tensor;
    copies[name] = last_copy;
  }
  return copies;
}
}  // namespace ties_neighbors

// answer: to_is_free
// expect: after its copy was changed: index 0: expected 1, got 7
// Right between different devices: on the same one `to` returns the tensor itself.
namespace to_is_free {
std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device) {
  std::map<std::string, td::Tensor> copies;
  for (const auto& [name, tensor] : state) {
    td::Tensor copy = tensor.to(device);
    for (const auto& [earlier, done] : copies)
      if (state.at(earlier).is_same(tensor)) copy = done;
    copies[name] = copy;
  }
  return copies;
}
}  // namespace to_is_free

// answer: detaches_leaves
// expect: of a tensor that a recorded operation computed is part of its graph
// Takes only leaves out of the graph.
namespace detaches_leaves {
std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device) {
  std::map<std::string, td::Tensor> copies;
  for (const auto& [name, tensor] : state) {
    for (const auto& [earlier, copy] : copies)
      if (state.at(earlier).is_same(tensor)) copies[name] = copy;
    if (copies.contains(name)) continue;
    const td::Tensor source = tensor.is_leaf() ? tensor.detach() : tensor;
    copies[name] = source.to(device, source.dtype(), /*non_blocking=*/false, /*copy=*/true);
  }
  return copies;
}
}  // namespace detaches_leaves
