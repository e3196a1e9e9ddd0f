#include "exercises.h"

#include <algorithm>
#include <utility>

// answer: list_of_pairs
// Keeps the originals and their copies in a list; clones on the same device.
namespace list_of_pairs {
std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device) {
  std::map<std::string, td::Tensor> copies;
  const td::NoGradGuard no_grad;
  std::vector<std::pair<td::Tensor, td::Tensor>> done;
  for (const auto& [name, tensor] : state) {
    const auto same = std::find_if(done.begin(), done.end(), [&t = tensor](const auto& pair) {
      return pair.first.is_same(t);
    });
    if (same == done.end()) {
      done.emplace_back(tensor, tensor.device() == device ? tensor.clone() : tensor.to(device));
      copies.emplace(name, done.back().second);
    } else {
      copies.emplace(name, same->second);
    }
  }
  return copies;
}
}  // namespace list_of_pairs
