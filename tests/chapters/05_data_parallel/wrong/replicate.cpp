#include "exercises.h"

#include <sstream>

// answer: checks_parameters_only
// expect: a model with a buffer elsewhere: an error was expected, none was thrown
// Batch norm would fail later, in a thread, with a message about its own arguments.
namespace checks_parameters_only {
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
}  // namespace checks_parameters_only

// answer: clones_all
// expect: the count of batches in the model, after a forward of replica 0
// libtorch's own replicate does so: what any replica writes into a buffer is lost.
namespace clones_all {
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
  std::vector<td::nn::Sequential> replicas;
  for (const td::Device& device : devices) replicas.push_back(clone_of(model, device));
  return replicas;
}
}  // namespace clones_all

// answer: first_parameter_only
// expect: a model with its second layer elsewhere: an error was expected, none was thrown
// Checks one parameter. Right for models that were moved as a whole.
namespace first_parameter_only {
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
  check_place({model->parameters().at(0)}, first);
  check_place(model->buffers(), first);
  std::vector<td::nn::Sequential> replicas{model};
  for (std::size_t i = 1; i < devices.size(); ++i)
    replicas.push_back(td::nn::Sequential(
        std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone(devices[i]))));
  return replicas;
}
}  // namespace first_parameter_only

// answer: handles_only
// expect: 0.weight of replica
// A Sequential is a handle: its copies are the same model, and the last move wins.
namespace handles_only {
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
  std::vector<td::nn::Sequential> replicas(devices.size(), model);
  for (std::size_t i = 0; i < devices.size(); ++i) replicas[i]->to(devices[i]);
  return replicas;
}
}  // namespace handles_only

// answer: moves_the_model
// expect: of the model has other memory after replicate
// Moves the model to the device, copies it there, and moves it back.
namespace moves_the_model {
std::vector<td::nn::Sequential> replicate(const td::nn::Sequential& model,
                                          const std::vector<td::Device>& devices) {
  std::vector<td::Tensor> tensors = model->parameters();
  for (const td::Tensor& buffer : model->buffers()) tensors.push_back(buffer);
  for (const td::Tensor& tensor : tensors)
    if (tensor.device() != devices[0]) {
      std::ostringstream text;
      text << "expected on " << devices[0] << ", found on " << tensor.device();
      throw td::DeviceError(text.str());
    }
  const auto copy_of = [&](const td::optional<td::Device>& device) {
    return td::nn::Sequential(
        std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone(device)));
  };
  std::vector<td::nn::Sequential> replicas = {model};
  for (std::size_t i = 1; i < devices.size(); ++i) {
    td::nn::Sequential moved = model;
    moved->to(devices[i]);
    replicas.push_back(copy_of(td::nullopt));
    moved->to(devices[0]);
  }
  return replicas;
}
}  // namespace moves_the_model

// answer: needs_an_index
// expect: replicate: the model must be on sim, the first device
// Compares "sim" with sim:0. Right for devices with an index.
namespace needs_an_index {
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
  const td::Device first = devices.at(0);
  check_place(model->parameters(), first);
  check_place(model->buffers(), first);
  std::vector<td::nn::Sequential> replicas{model};
  for (std::size_t i = 1; i < devices.size(); ++i)
    replicas.push_back(td::nn::Sequential(
        std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone(devices[i]))));
  return replicas;
}
}  // namespace needs_an_index

// answer: new_models
// expect: 0.weight of replica 1
// Layers of the same sizes, with first values of their own.
namespace new_models {
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
    replicas.push_back(td::nn::Sequential(td::nn::Linear(3, 2), td::nn::BatchNorm1d(2)));
    replicas.back()->to(devices[i]);
  }
  return replicas;
}
}  // namespace new_models

// answer: one_copy_per_device
// expect: replicas 1 and 2 on sim:1 share
// Copies the model once for each device. Right while all devices differ.
namespace one_copy_per_device {
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
}  // namespace one_copy_per_device

// answer: one_mode_for_all
// expect: batch norm is in evaluation mode in a model that trains
// Gives every layer the mode of the whole model.
namespace one_mode_for_all {
std::vector<td::nn::Sequential> replicate(const td::nn::Sequential& model,
                                          const std::vector<td::Device>& devices) {
  std::vector<td::Tensor> tensors = model->parameters();
  for (const td::Tensor& buffer : model->buffers()) tensors.push_back(buffer);
  for (const td::Tensor& tensor : tensors)
    if (tensor.device() != devices[0]) {
      std::ostringstream text;
      text << "expected on " << devices[0] << ", found on " << tensor.device();
      throw td::DeviceError(text.str());
    }
  const auto copy_of = [&](const td::optional<td::Device>& device) {
    return td::nn::Sequential(
        std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone(device)));
  };
  std::vector<td::nn::Sequential> replicas = {model};
  for (std::size_t i = 1; i < devices.size(); ++i) {
    replicas.push_back(copy_of(devices[i]));
    replicas.back()->train(model->is_training());
  }
  return replicas;
}
}  // namespace one_mode_for_all

// answer: same_device_same_model
// expect: the model's weight, after replica 1's was changed
// A second replica on the device of the model is the model again.
namespace same_device_same_model {
std::vector<td::nn::Sequential> replicate(const td::nn::Sequential& model,
                                          const std::vector<td::Device>& devices) {
  std::vector<td::Tensor> tensors = model->parameters();
  for (const td::Tensor& buffer : model->buffers()) tensors.push_back(buffer);
  for (const td::Tensor& tensor : tensors)
    if (tensor.device() != devices[0]) {
      std::ostringstream text;
      text << "expected on " << devices[0] << ", found on " << tensor.device();
      throw td::DeviceError(text.str());
    }
  const auto copy_of = [&](const td::optional<td::Device>& device) {
    return td::nn::Sequential(
        std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone(device)));
  };
  std::vector<td::nn::Sequential> replicas = {model};
  for (std::size_t i = 1; i < devices.size(); ++i) {
    replicas.push_back(devices[i] == devices[0] ? model : copy_of(devices[i]));
  }
  return replicas;
}
}  // namespace same_device_same_model

// answer: shares_the_buffers
// expect: shares the memory of the model on {cpu
// Replicas on the device of the model share its buffers.
namespace shares_the_buffers {
std::vector<td::nn::Sequential> replicate(const td::nn::Sequential& model,
                                          const std::vector<td::Device>& devices) {
  std::vector<td::Tensor> tensors = model->parameters();
  for (const td::Tensor& buffer : model->buffers()) tensors.push_back(buffer);
  for (const td::Tensor& tensor : tensors)
    if (tensor.device() != devices[0]) {
      std::ostringstream text;
      text << "expected on " << devices[0] << ", found on " << tensor.device();
      throw td::DeviceError(text.str());
    }
  const auto copy_of = [&](const td::optional<td::Device>& device) {
    return td::nn::Sequential(
        std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone(device)));
  };
  std::vector<td::nn::Sequential> replicas = {model};
  for (std::size_t i = 1; i < devices.size(); ++i) {
    replicas.push_back(copy_of(devices[i]));
    const auto mine = model->buffers();
    auto theirs = replicas.back()->buffers();
    for (std::size_t b = 0; b < mine.size(); ++b) theirs[b].set_data(mine[b].to(devices[i]));
  }
  return replicas;
}
}  // namespace shares_the_buffers

// answer: trains_frozen_layers
// expect: a frozen weight of the model requires grad in replica 1
// Right for models in which everything is trained.
namespace trains_frozen_layers {
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
}  // namespace trains_frozen_layers

// answer: first_of_its_kind
// expect: replicate: the model must be on sim:0
// Takes a device without an index for the first one of its type.
namespace first_of_its_kind {
std::vector<td::nn::Sequential> replicate(const td::nn::Sequential& model,
                                          const std::vector<td::Device>& devices) {
  std::vector<td::Device> targets;
  for (const td::Device& device : devices)
    targets.push_back(device.is_cpu() || device.has_index() ? device
                                                            : td::Device(device.type(), 0));
  std::vector<td::Tensor> tensors = model->parameters();
  for (const td::Tensor& buffer : model->buffers()) tensors.push_back(buffer);
  for (const td::Tensor& tensor : tensors)
    if (tensor.device() != targets[0])
      throw td::DeviceError("replicate: the model must be on " + targets[0].str() + ", not on " +
                            tensor.device().str());
  std::vector<td::nn::Sequential> replicas{model};
  for (std::size_t i = 1; i < targets.size(); ++i)
    replicas.push_back(td::nn::Sequential(
        std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone(targets[i]))));
  return replicas;
}
}  // namespace first_of_its_kind

// answer: clears_the_gradients
// expect: the bias of the model had a gradient before replicate, and has none afterwards
// Clears the gradients of all replicas, and so those of the model.
namespace clears_the_gradients {
std::vector<td::nn::Sequential> replicate(const td::nn::Sequential& model,
                                          const std::vector<td::Device>& devices) {
  const td::Device first = td::check_device(devices.at(0));
  for (const auto& entry : model->state_dict())
    if (entry.value().device() != first)
      throw td::DeviceError("replicate: expected " + first.str() + ", found " +
                            entry.value().device().str());
  std::vector<td::nn::Sequential> replicas = {model};
  for (std::size_t i = 1; i < devices.size(); ++i)
    replicas.emplace_back(
        std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone(devices[i])));
  for (td::nn::Sequential& replica : replicas) replica->zero_grad(/*set_to_none=*/true);
  return replicas;
}
}  // namespace clears_the_gradients
