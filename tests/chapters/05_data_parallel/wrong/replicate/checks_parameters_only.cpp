// expect: a model with a buffer elsewhere: an error was expected, none was thrown
// Batch norm would fail later, in a thread, with a message about its own arguments.
#include <sstream>

#include "exercises.h"

std::vector<td::nn::Sequential> replicate(const td::nn::Sequential& model,
                                          const std::vector<td::Device>& devices) {
  for (const td::Tensor& tensor : model->parameters()) {
    if (tensor.device() == td::check_device(devices.at(0))) continue;
    std::ostringstream text;
    text << "replicate: expected " << devices[0] << ", found " << tensor.device();
    throw td::DeviceError(text.str());
  }
  std::vector<td::nn::Sequential> replicas{model};
  for (std::size_t i = 1; i < devices.size(); ++i)
    replicas.push_back(td::nn::Sequential(
        std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone(devices[i]))));
  return replicas;
}
