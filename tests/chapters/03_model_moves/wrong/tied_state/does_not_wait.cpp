// expect: a tensor of sim:0 that queued work was still changing
// Passes non_blocking: towards the host, the call returns before the values have arrived.
#include "exercises.h"

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
