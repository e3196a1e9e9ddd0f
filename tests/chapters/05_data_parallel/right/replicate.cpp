#include "exercises.h"

#include <sstream>

// answer: clones_then_moves
// Copies on the device of the model first, and moves the copies.
namespace clones_then_moves {
std::vector<td::nn::Sequential> replicate(const td::nn::Sequential& model,
                                          const std::vector<td::Device>& devices) {
  const td::Device first = td::check_device(devices[0]);
  std::vector<td::Tensor> tensors = model->parameters();
  for (const td::Tensor& buffer : model->buffers()) tensors.push_back(buffer);
  for (const td::Tensor& tensor : tensors)
    if (tensor.device() != first) {
      std::ostringstream text;
      text << "expected on " << first << ", found on " << tensor.device();
      throw td::DeviceError(text.str());
    }
  const auto copy_of = [&](const td::optional<td::Device>& device) {
    return td::nn::Sequential(
        std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone(device)));
  };
  std::vector<td::nn::Sequential> replicas = {model};
  for (std::size_t i = 1; i < devices.size(); ++i) {
    replicas.push_back(copy_of(td::nullopt));
    replicas.back()->to(devices[i]);
  }
  return replicas;
}
}  // namespace clones_then_moves
