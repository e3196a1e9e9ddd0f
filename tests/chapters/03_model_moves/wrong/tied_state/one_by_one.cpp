// expect: the tie is lost
// Right on a state without ties.
#include "exercises.h"

std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device) {
  std::map<std::string, td::Tensor> copies;
  for (const auto& [name, tensor] : state)
    copies[name] = tensor.to(device, tensor.dtype(), false, /*copy=*/true);
  return copies;
}
