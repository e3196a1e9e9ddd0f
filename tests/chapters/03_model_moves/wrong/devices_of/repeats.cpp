// expect: a model on cpu: expected {cpu}, got {cpu, cpu, cpu
// Every tensor's device, again and again.
#include "exercises.h"

std::vector<td::Device> devices_of(const td::nn::Module& model) {
  std::vector<td::Device> found;
  for (const td::Tensor& p : model.parameters()) found.push_back(p.device());
  for (const td::Tensor& b : model.buffers()) found.push_back(b.device());
  return found;
}
