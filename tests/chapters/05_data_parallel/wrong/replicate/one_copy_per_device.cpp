// expect: replicas 1 and 2 on sim:1 share
// Copies the model once for each device. Right while all devices differ.
#include <sstream>

#include "exercises.h"

namespace {

void check_place(const std::vector<td::Tensor>& tensors, td::Device device) {
  for (const td::Tensor& tensor : tensors) {
    if (tensor.device() == device) continue;
    std::ostringstream text;
    text << "replicate: the model must be on " << device
         << ", the first device, but a tensor of it "
         << "is on " << tensor.device() << "; move it with to()";
    throw td::DeviceError(text.str());
  }
}

}  // namespace

std::vector<td::nn::Sequential> replicate(const td::nn::Sequential& model,
                                          const std::vector<td::Device>& devices) {
  const td::Device first = td::check_device(devices.at(0));
  check_place(model->parameters(), first);
  check_place(model->buffers(), first);
  std::vector<td::nn::Sequential> replicas{model};
  for (std::size_t i = 1; i < devices.size(); ++i) {
    if (i > 1 && devices[i] == devices[i - 1]) {
      replicas.push_back(replicas.back());
      continue;
    }
    replicas.push_back(td::nn::Sequential(
        std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone(devices[i]))));
  }
  return replicas;
}
