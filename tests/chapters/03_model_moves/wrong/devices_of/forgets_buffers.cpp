// expect: a model on sim:0 with its buffers on cpu: expected {sim:0, cpu}, got {sim:0}
#include <algorithm>

#include "exercises.h"

std::vector<td::Device> devices_of(const td::nn::Module& model) {
  std::vector<td::Device> found;
  for (const td::Tensor& p : model.parameters())
    if (std::find(found.begin(), found.end(), p.device()) == found.end())
      found.push_back(p.device());
  return found;
}
