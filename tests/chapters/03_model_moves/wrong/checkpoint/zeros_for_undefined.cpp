// expect: after resume must be defined exactly when
// Creates momentum for a parameter that has none.
#include "exercises.h"

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
