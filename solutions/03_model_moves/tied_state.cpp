// tied_state: exercise 3.tied_state, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device) {
  // blank: Look among the entries done so far for one with the same tensor. About 12 lines.
  std::map<std::string, td::Tensor> copies;
  for (const auto& [name, tensor] : state) {
    td::Tensor copy;
    for (const auto& [earlier, done] : copies)
      if (state.at(earlier).is_same(tensor)) copy = done;
    if (!copy.defined()) copy = tensor.detach().to(device, tensor.dtype(), false, /*copy=*/true);
    copies[name] = copy;
  }
  return copies;
  // end
}
