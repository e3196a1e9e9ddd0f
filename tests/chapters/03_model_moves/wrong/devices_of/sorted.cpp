// expect: a model on sim:0 with its buffers on cpu: expected {sim:0, cpu}, got {cpu, sim:0}
// A set loses the order of appearance.
#include <set>

#include "exercises.h"

std::vector<td::Device> devices_of(const td::nn::Module& model) {
  const auto less = [](td::Device a, td::Device b) { return a.str() < b.str(); };
  std::set<td::Device, decltype(less)> found(less);
  for (const td::Tensor& p : model.parameters()) found.insert(p.device());
  for (const td::Tensor& b : model.buffers()) found.insert(b.device());
  return {found.begin(), found.end()};
}
