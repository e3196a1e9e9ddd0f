// expect: "a" and "b" have the same memory and the same sizes
// Takes every handle on one memory for one tensor.
#include "exercises.h"

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
