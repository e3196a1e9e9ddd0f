// expect: a model with parameters on cpu and sim:0 and buffers on sim:1: expected
// Lists each tensor of the state in its order: buffers come between the parameters of two layers.
#include <algorithm>

#include "exercises.h"

std::vector<td::Device> devices_of(const td::nn::Module& model) {
  std::vector<td::Device> found;
  for (const auto& item : model.state_dict()) {
    const td::Device device = item.value().device();
    if (std::find(found.begin(), found.end(), device) == found.end()) found.push_back(device);
  }
  return found;
}
