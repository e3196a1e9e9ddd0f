// expect: the checkpoint has
// Omits the running statistics of batch norm.
#include "exercises.h"

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
