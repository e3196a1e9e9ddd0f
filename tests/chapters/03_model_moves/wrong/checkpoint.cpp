#include "exercises.h"

#include <string>

// answer: checks_too_late
// expect: a checkpoint with too few momentum tensors
// Loads and moves the model before it looks at the momentum.
namespace checks_too_late {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& t) { return t.detach().clone().cpu(); };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& m : momentum)
    checkpoint.momentum.push_back(m.defined() ? copy(m) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  model.load_state_dict(checkpoint.state);
  model.zero_grad(true);
  model.to(device);
  if (checkpoint.momentum.size() != model.parameters().size())
    throw td::Error("the momentum does not fit");
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& m : checkpoint.momentum)
    momentum.push_back(m.defined() ? m.clone().to(device) : m);
  return momentum;
}
}  // namespace checks_too_late

// answer: does_not_wait
// expect: body.0.weight of sim:0, which queued work was still changing
// Passes non_blocking: towards the host, the call returns before the values have arrived.
namespace does_not_wait {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& tensor) {
    return tensor.detach().to("cpu", tensor.dtype(), /*non_blocking=*/true, /*copy=*/true);
  };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& tensor : momentum)
    checkpoint.momentum.push_back(tensor.defined() ? copy(tensor) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  const std::size_t parameters = model.parameters().size();
  if (checkpoint.momentum.size() != parameters)
    throw td::Error("resume: " + std::to_string(checkpoint.momentum.size()) +
                    " momentum tensors for " + std::to_string(parameters) + " parameters");
  model.load_state_dict(checkpoint.state);
  model.zero_grad(/*set_to_none=*/true);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& tensor : checkpoint.momentum)
    momentum.push_back(tensor.defined() ? tensor.to(device, tensor.dtype(), false, /*copy=*/true)
                                        : td::Tensor());
  return momentum;
}
}  // namespace does_not_wait

// answer: drops_gradients_first
// expect: removed the gradient of
// Removes the gradients before it knows whether the checkpoint fits.
namespace drops_gradients_first {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& tensor) {
    return tensor.detach().to("cpu", tensor.dtype(), false, /*copy=*/true);
  };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& tensor : momentum)
    checkpoint.momentum.push_back(tensor.defined() ? copy(tensor) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  const std::size_t parameters = model.parameters().size();
  model.zero_grad(/*set_to_none=*/true);
  if (checkpoint.momentum.size() != parameters)
    throw td::Error("resume: " + std::to_string(checkpoint.momentum.size()) +
                    " momentum tensors for " + std::to_string(parameters) + " parameters");
  model.load_state_dict(checkpoint.state);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& tensor : checkpoint.momentum)
    momentum.push_back(tensor.defined() ? tensor.to(device, tensor.dtype(), false, /*copy=*/true)
                                        : td::Tensor());
  return momentum;
}
}  // namespace drops_gradients_first

// answer: keeps_gradients
// expect: still has a gradient of the old values
namespace keeps_gradients {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& t) { return t.detach().clone().cpu(); };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& m : momentum)
    checkpoint.momentum.push_back(m.defined() ? copy(m) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  if (checkpoint.momentum.size() != model.parameters().size())
    throw td::Error("the momentum does not fit");
  model.load_state_dict(checkpoint.state);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& m : checkpoint.momentum)
    momentum.push_back(m.defined() ? m.clone().to(device) : m);
  return momentum;
}
}  // namespace keeps_gradients

// answer: momentum_as_float
// expect: momentum 0, which was float64,
// Converts the momentum to float32, as if all optimizers had this type.
namespace momentum_as_float {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& tensor) {
    return tensor.detach().to("cpu", tensor.dtype(), false, /*copy=*/true);
  };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& tensor : momentum)
    checkpoint.momentum.push_back(tensor.defined() ? copy(tensor).to(td::kFloat) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  const std::size_t parameters = model.parameters().size();
  if (checkpoint.momentum.size() != parameters)
    throw td::Error("resume: " + std::to_string(checkpoint.momentum.size()) +
                    " momentum tensors for " + std::to_string(parameters) + " parameters");
  model.load_state_dict(checkpoint.state);
  model.zero_grad(/*set_to_none=*/true);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& tensor : checkpoint.momentum)
    momentum.push_back(tensor.defined() ? tensor.to(device, td::kFloat, false, /*copy=*/true)
                                        : td::Tensor());
  return momentum;
}
}  // namespace momentum_as_float

// answer: momentum_stays
// expect: momentum 0 after resume must be defined exactly when
// Does not restore the momentum, which starts again undefined.
namespace momentum_stays {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& t) { return t.detach().clone().cpu(); };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& m : momentum)
    checkpoint.momentum.push_back(m.defined() ? copy(m) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  if (checkpoint.momentum.size() != model.parameters().size())
    throw td::Error("the momentum does not fit");
  model.load_state_dict(checkpoint.state);
  model.zero_grad(true);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& m : checkpoint.momentum) momentum.push_back(td::Tensor());
  return momentum;
}
}  // namespace momentum_stays

// answer: moves_buffers_first
// expect: body.1.running_mean after a checkpoint with
// Moves the buffers before it knows whether the checkpoint fits.
namespace moves_buffers_first {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& tensor) {
    return tensor.detach().to("cpu", tensor.dtype(), false, /*copy=*/true);
  };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& tensor : momentum)
    checkpoint.momentum.push_back(tensor.defined() ? copy(tensor) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  const std::size_t parameters = model.parameters().size();
  for (const td::Tensor& buffer : model.buffers()) buffer.set_data(buffer.detach().to(device));
  if (checkpoint.momentum.size() != parameters)
    throw td::Error("resume: " + std::to_string(checkpoint.momentum.size()) +
                    " momentum tensors for " + std::to_string(parameters) + " parameters");
  model.load_state_dict(checkpoint.state);
  model.zero_grad(/*set_to_none=*/true);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& tensor : checkpoint.momentum)
    momentum.push_back(tensor.defined() ? tensor.to(device, tensor.dtype(), false, /*copy=*/true)
                                        : td::Tensor());
  return momentum;
}
}  // namespace moves_buffers_first

// answer: not_strict
// expect: a checkpoint with a missing name
// Takes what fits and passes over the rest.
namespace not_strict {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& t) { return t.detach().clone().cpu(); };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& m : momentum)
    checkpoint.momentum.push_back(m.defined() ? copy(m) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  if (checkpoint.momentum.size() != model.parameters().size())
    throw td::Error("the momentum does not fit");
  model.load_state_dict(checkpoint.state, /*strict=*/false);
  model.zero_grad(true);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& m : checkpoint.momentum)
    momentum.push_back(m.defined() ? m.clone().to(device) : m);
  return momentum;
}
}  // namespace not_strict

// answer: parameters_only
// expect: the checkpoint has
// Omits the running statistics of batch norm.
namespace parameters_only {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& t) { return t.detach().clone().cpu(); };
  for (const auto& item : model.named_parameters())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& m : momentum)
    checkpoint.momentum.push_back(m.defined() ? copy(m) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  if (checkpoint.momentum.size() != model.parameters().size())
    throw td::Error("the momentum does not fit");
  model.load_state_dict(checkpoint.state, /*strict=*/false);
  model.zero_grad(true);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& m : checkpoint.momentum)
    momentum.push_back(m.defined() ? m.clone().to(device) : m);
  return momentum;
}
}  // namespace parameters_only

// answer: replaces_the_memory
// expect: training after resume on cpu changed the checkpoint
// Makes the checkpoint's tensors the memory of the model.
namespace replaces_the_memory {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& t) { return t.detach().clone().cpu(); };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& m : momentum)
    checkpoint.momentum.push_back(m.defined() ? copy(m) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  if (checkpoint.momentum.size() != model.parameters().size())
    throw td::Error("the momentum does not fit");
  model.load_state_dict(checkpoint.state);
  for (const auto& item : model.named_parameters())
    item.value().set_data(checkpoint.state[item.key()]);
  model.zero_grad(true);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& m : checkpoint.momentum)
    momentum.push_back(m.defined() ? m.clone().to(device) : m);
  return momentum;
}
}  // namespace replaces_the_memory

// answer: shares_the_memory
// expect: shares memory with the model
// `cpu()` copies nothing where the tensor is on the cpu already.
namespace shares_the_memory {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& t) { return t.detach().cpu(); };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& m : momentum)
    checkpoint.momentum.push_back(m.defined() ? copy(m) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  if (checkpoint.momentum.size() != model.parameters().size())
    throw td::Error("the momentum does not fit");
  model.load_state_dict(checkpoint.state);
  model.zero_grad(true);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& m : checkpoint.momentum)
    momentum.push_back(m.defined() ? m.clone().to(device) : m);
  return momentum;
}
}  // namespace shares_the_memory

// answer: shares_the_momentum
// expect: changed the checkpoint: the model or its momentum shares memory
// Right on another device: on the cpu, the momentum is the tensor of the checkpoint.
namespace shares_the_momentum {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& t) { return t.detach().clone().cpu(); };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& m : momentum)
    checkpoint.momentum.push_back(m.defined() ? copy(m) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  if (checkpoint.momentum.size() != model.parameters().size())
    throw td::Error("the momentum does not fit");
  model.load_state_dict(checkpoint.state);
  model.zero_grad(true);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& m : checkpoint.momentum)
    momentum.push_back(m.defined() ? m.to(device) : m);
  return momentum;
}
}  // namespace shares_the_momentum

// answer: skips_undefined
// expect: resume returned 5 momentum tensors for 6 parameters
// Returns the defined tensors only, so that they no longer belong to their parameters.
namespace skips_undefined {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& tensor) {
    return tensor.detach().to("cpu", tensor.dtype(), false, /*copy=*/true);
  };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& tensor : momentum)
    checkpoint.momentum.push_back(tensor.defined() ? copy(tensor) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  const std::size_t parameters = model.parameters().size();
  if (checkpoint.momentum.size() != parameters)
    throw td::Error("resume: " + std::to_string(checkpoint.momentum.size()) +
                    " momentum tensors for " + std::to_string(parameters) + " parameters");
  model.load_state_dict(checkpoint.state);
  model.zero_grad(/*set_to_none=*/true);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& tensor : checkpoint.momentum)
    if (tensor.defined())
      momentum.push_back(tensor.to(device, tensor.dtype(), false, /*copy=*/true));
  return momentum;
}
}  // namespace skips_undefined

// answer: stays_on_the_device
// expect: in the checkpoint: expected on cpu
// Right where the model is on the cpu.
namespace stays_on_the_device {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& t) { return t.detach().clone(); };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& m : momentum)
    checkpoint.momentum.push_back(m.defined() ? copy(m) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  if (checkpoint.momentum.size() != model.parameters().size())
    throw td::Error("the momentum does not fit");
  model.load_state_dict(checkpoint.state);
  model.zero_grad(true);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& m : checkpoint.momentum)
    momentum.push_back(m.defined() ? m.clone().to(device) : m);
  return momentum;
}
}  // namespace stays_on_the_device

// answer: zeros_for_undefined
// expect: after resume must be defined exactly when
// Creates momentum for a parameter that has none.
namespace zeros_for_undefined {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& t) { return t.detach().clone().cpu(); };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& m : momentum)
    checkpoint.momentum.push_back(m.defined() ? copy(m) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  if (checkpoint.momentum.size() != model.parameters().size())
    throw td::Error("the momentum does not fit");
  model.load_state_dict(checkpoint.state);
  model.zero_grad(true);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& m : checkpoint.momentum)
    momentum.push_back(m.defined() ? m.clone().to(device) : td::zeros({1}, device));
  return momentum;
}
}  // namespace zeros_for_undefined

// answer: by_position
// expect: a checkpoint with another name: an error was expected, none was thrown
// Checks how many entries there are, their sizes and dtypes, and never looks at a name.
namespace by_position {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& tensor) {
    return tensor.detach().to("cpu", tensor.dtype(), false, /*copy=*/true);
  };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& tensor : momentum)
    checkpoint.momentum.push_back(tensor.defined() ? copy(tensor) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  const auto values = checkpoint.state.values(), mine = model.state_dict().values();
  if (checkpoint.momentum.size() != model.parameters().size() || values.size() != mine.size())
    throw td::Error("the checkpoint does not fit");
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (values[i].sizes() != mine[i].sizes() || values[i].dtype() != mine[i].dtype())
      throw td::Error("the checkpoint does not fit");
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < mine.size(); ++i) td::Tensor(mine[i]).copy_(values[i]);
  model.zero_grad(/*set_to_none=*/true);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& tensor : checkpoint.momentum)
    momentum.push_back(tensor.defined() ? tensor.to(device, tensor.dtype(), false, /*copy=*/true)
                                        : td::Tensor());
  return momentum;
}
}  // namespace by_position

// answer: momentum_in_a_graph
// expect: momentum 0 in the checkpoint requires grad
// Detaches the state, and copies the momentum with its graph.
namespace momentum_in_a_graph {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& tensor) {
    return tensor.to("cpu", tensor.dtype(), false, /*copy=*/true);
  };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value().detach()));
  for (const td::Tensor& tensor : momentum)
    checkpoint.momentum.push_back(tensor.defined() ? copy(tensor) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  if (checkpoint.momentum.size() != model.parameters().size())
    throw td::Error("the momentum does not fit");
  model.load_state_dict(checkpoint.state);
  model.zero_grad(/*set_to_none=*/true);
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& tensor : checkpoint.momentum)
    momentum.push_back(tensor.defined()
                           ? tensor.detach().to(device, tensor.dtype(), false, /*copy=*/true)
                           : td::Tensor());
  return momentum;
}
}  // namespace momentum_in_a_graph

// answer: keeps_frozen_gradients
// expect: tensor 5 still has a gradient of the old values
// Drops the gradients of what an optimizer trains.
namespace keeps_frozen_gradients {
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& t) { return t.detach().clone().cpu(); };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& m : momentum)
    checkpoint.momentum.push_back(m.defined() ? copy(m) : td::Tensor());
  return checkpoint;
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  if (checkpoint.momentum.size() != model.parameters().size())
    throw td::Error("the momentum does not fit");
  model.load_state_dict(checkpoint.state);
  for (const td::Tensor& p : model.parameters())
    if (p.requires_grad()) p.mutable_grad() = td::Tensor();
  model.to(device);
  std::vector<td::Tensor> momentum;
  for (const td::Tensor& m : checkpoint.momentum)
    momentum.push_back(m.defined() ? m.clone().to(device) : m);
  return momentum;
}
}  // namespace keeps_frozen_gradients
