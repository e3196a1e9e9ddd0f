// expect: requires grad: copy w.detach()
// The copies are results of operations on the originals.
#include "exercises.h"

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
