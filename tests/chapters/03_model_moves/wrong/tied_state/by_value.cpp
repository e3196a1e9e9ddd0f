// expect: "a" and "b" only had equal values
#include "exercises.h"

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
