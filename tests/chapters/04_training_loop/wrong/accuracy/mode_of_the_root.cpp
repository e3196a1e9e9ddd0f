// expect: after the evaluation of a model with a frozen batch norm
// Right for a model whose modules all have one mode.
#include "exercises.h"

double accuracy(td::nn::Sequential& model, const std::vector<Batch>& batches, td::Device device) {
  const td::NoGradGuard no_grad;
  const bool was_training = model->is_training();
  model->eval();
  std::int64_t right = 0, samples = 0;
  for (const Batch& batch : batches) {
    const td::Tensor guess = model->forward(batch.data.to(device)).argmax(1);
    right += (guess == batch.target.to(device)).sum().item<std::int64_t>();
    samples += batch.target.numel();
  }
  model->train(was_training);
  return samples == 0 ? 0.0 : static_cast<double>(right) / static_cast<double>(samples);
}
