// expect: body.1.running_mean after a checkpoint with
// Moves the buffers before it knows whether the checkpoint fits.
#include <string>

#include "exercises.h"

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
