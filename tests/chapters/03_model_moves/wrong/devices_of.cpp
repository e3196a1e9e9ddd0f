#include "exercises.h"

#include <algorithm>
#include <set>

// answer: first_parameter
// expect: a model whose head was moved to sim:0: expected {cpu, sim:0}, got {cpu}
// PyTorch's next(model.parameters()).device, which is right as long as all agree.
namespace first_parameter {
std::vector<td::Device> devices_of(const td::nn::Module& model) {
  const auto parameters = model.parameters();
  if (parameters.empty()) return {};
  return {parameters[0].device()};
}
}  // namespace first_parameter

// answer: forgets_buffers
// expect: a model on sim:0 with its buffers on cpu: expected {sim:0, cpu}, got {sim:0}
namespace forgets_buffers {
std::vector<td::Device> devices_of(const td::nn::Module& model) {
  std::vector<td::Device> found;
  for (const td::Tensor& p : model.parameters())
    if (std::find(found.begin(), found.end(), p.device()) == found.end())
      found.push_back(p.device());
  return found;
}
}  // namespace forgets_buffers

// answer: kinds_only
// expect: a model over sim:1 and sim:0: expected {sim:1, sim:0}, got {sim:1}
// Right on the README's example: it takes two devices of one kind for the same.
namespace kinds_only {
std::vector<td::Device> devices_of(const td::nn::Module& model) {
  std::vector<td::Device> found;
  const auto note = [&](const td::Tensor& t) {
    const auto same_kind = [&](td::Device d) { return d.type() == t.device().type(); };
    if (std::none_of(found.begin(), found.end(), same_kind)) found.push_back(t.device());
  };
  for (const td::Tensor& p : model.parameters()) note(p);
  for (const td::Tensor& b : model.buffers()) note(b);
  return found;
}
}  // namespace kinds_only

// answer: module_by_module
// expect: a model with parameters on cpu and sim:0 and buffers on sim:1: expected
// Lists each tensor of the state in its order: buffers come between the parameters of two layers.
namespace module_by_module {
std::vector<td::Device> devices_of(const td::nn::Module& model) {
  std::vector<td::Device> found;
  for (const auto& item : model.state_dict()) {
    const td::Device device = item.value().device();
    if (std::find(found.begin(), found.end(), device) == found.end()) found.push_back(device);
  }
  return found;
}
}  // namespace module_by_module

// answer: repeats
// expect: a model on cpu: expected {cpu}, got {cpu, cpu, cpu
// Every tensor's device, again and again.
namespace repeats {
std::vector<td::Device> devices_of(const td::nn::Module& model) {
  std::vector<td::Device> found;
  for (const td::Tensor& p : model.parameters()) found.push_back(p.device());
  for (const td::Tensor& b : model.buffers()) found.push_back(b.device());
  return found;
}
}  // namespace repeats

// answer: sorted
// expect: a model on sim:0 with its buffers on cpu: expected {sim:0, cpu}, got {cpu, sim:0}
// A set loses the order of appearance.
namespace sorted {
std::vector<td::Device> devices_of(const td::nn::Module& model) {
  const auto less = [](td::Device a, td::Device b) { return a.str() < b.str(); };
  std::set<td::Device, decltype(less)> found(less);
  for (const td::Tensor& p : model.parameters()) found.insert(p.device());
  for (const td::Tensor& b : model.buffers()) found.insert(b.device());
  return {found.begin(), found.end()};
}
}  // namespace sorted

// answer: trained_only
// expect: a model whose head is frozen and on sim:0: expected {cpu, sim:0}, got {cpu}
// Looks at the parameters that an optimizer would train.
namespace trained_only {
std::vector<td::Device> devices_of(const td::nn::Module& model) {
  std::vector<td::Device> found;
  const auto add = [&](td::Device device) {
    if (std::find(found.begin(), found.end(), device) == found.end()) found.push_back(device);
  };
  for (const td::Tensor& parameter : model.parameters())
    if (parameter.requires_grad()) add(parameter.device());
  for (const td::Tensor& buffer : model.buffers()) add(buffer.device());
  return found;
}
}  // namespace trained_only
