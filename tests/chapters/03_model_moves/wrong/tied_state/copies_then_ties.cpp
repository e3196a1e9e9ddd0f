// expect: 264 bytes to copy
// The result is right, but a tied tensor is copied once per name.
#include "exercises.h"

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
