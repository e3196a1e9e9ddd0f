// expect: a frozen weight of the model requires grad in replica 1
// Right for models in which everything is trained.
#include <sstream>

#include "exercises.h"

namespace {

void check_place(const td::nn::Sequential& model, td::Device device) {
  std::vector<td::Tensor> all = model->parameters();
  for (const td::Tensor& buffer : model->buffers()) all.push_back(buffer);
  for (const td::Tensor& tensor : all) {
    if (tensor.device() == device) continue;
    std::ostringstream text;
    text << "replicate: expected " << device << ", found " << tensor.device();
    throw td::DeviceError(text.str());
  }
}

td::nn::Sequential clone_of(const td::nn::Sequential& model, td::Device device) {
  return td::nn::Sequential(
      std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone(device)));
}

}  // namespace

std::vector<td::nn::Sequential> replicate(const td::nn::Sequential& model,
                                          const std::vector<td::Device>& devices) {
  check_place(model, td::check_device(devices.at(0)));
  std::vector<td::nn::Sequential> replicas{model};
  for (std::size_t i = 1; i < devices.size(); ++i) {
    replicas.push_back(clone_of(model, devices[i]));
    for (const td::Tensor& p : replicas.back()->parameters()) p.requires_grad_(true);
  }
  return replicas;
}
