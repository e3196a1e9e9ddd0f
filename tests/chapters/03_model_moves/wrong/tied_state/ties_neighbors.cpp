// expect: is lost
// Compares an entry with the one before it only.
#include "exercises.h"

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
