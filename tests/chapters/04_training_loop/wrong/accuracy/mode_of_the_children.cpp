// expect: a frozen batch norm in an inner Sequential
// Right for a model whose layers are all directly below the root.
#include "exercises.h"

double accuracy(td::nn::Sequential& model, const std::vector<Batch>& batches, td::Device device) {
  const td::NoGradGuard no_grad;
  std::vector<std::pair<td::nn::Module*, bool>> modes;
  modes.emplace_back(&*model, model->is_training());
  for (const auto& child : model->children()) modes.emplace_back(child.get(), child->is_training());
  model->eval();
  std::int64_t right = 0, samples = 0;
  for (const Batch& batch : batches) {
    const td::Tensor guess = model->forward(batch.data.to(device)).argmax(1);
    right += (guess == batch.target.to(device)).sum().item<std::int64_t>();
    samples += batch.target.numel();
  }
  for (const auto& [module, training] : modes) module->train(training);
  return samples == 0 ? 0.0 : static_cast<double>(right) / static_cast<double>(samples);
}
