// expect: is on sim:0 but
// Right on cpu: the answers are on the device, the targets are not.
#include "exercises.h"

double accuracy(td::nn::Sequential& model, const std::vector<Batch>& batches, td::Device device) {
  const td::NoGradGuard no_grad;
  std::vector<std::pair<td::nn::Module*, bool>> modes;
  model->apply([&](td::nn::Module& m) { modes.emplace_back(&m, m.is_training()); });
  model->eval();
  std::int64_t right = 0, samples = 0;
  for (const Batch& batch : batches) {
    const td::Tensor guess = model->forward(batch.data.to(device)).argmax(1);
    right += (guess == batch.target).sum().item<std::int64_t>();
    samples += batch.target.numel();
  }
  for (const auto& [module, on] : modes) module->train(on);
  return samples == 0 ? 0.0 : static_cast<double>(right) / static_cast<double>(samples);
}
