// expect: a model whose head was moved to sim:0: expected {cpu, sim:0}, got {cpu}
// PyTorch's next(model.parameters()).device, which is right as long as all agree.
#include "exercises.h"

std::vector<td::Device> devices_of(const td::nn::Module& model) {
  const auto parameters = model.parameters();
  if (parameters.empty()) return {};
  return {parameters[0].device()};
}
