// save_checkpoint and resume: exercise 3.checkpoint, declared in exercises.h.
#include <string>

#include "exercises.h"
#include "td/exercise.h"

Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum) {
  // blank: Copies of state_dict() and of the momentum, on the cpu. About 8 lines.
  Checkpoint checkpoint;
  const auto copy = [](const td::Tensor& tensor) {
    return tensor.detach().to("cpu", tensor.dtype(), false, /*copy=*/true);
  };
  for (const auto& item : model.state_dict())
    checkpoint.state.insert(item.key(), copy(item.value()));
  for (const td::Tensor& tensor : momentum)
    checkpoint.momentum.push_back(tensor.defined() ? copy(tensor) : td::Tensor());
  return checkpoint;
  // end
}

std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device) {
  // blank: Check the momentum; load the state; move; copy. About 10 lines.
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
  // end
}
