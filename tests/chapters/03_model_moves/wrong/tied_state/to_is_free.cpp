// expect: after its copy was changed: index 0: expected 1, got 7
// Right between different devices: on the same one `to` returns the tensor itself.
#include "exercises.h"

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
