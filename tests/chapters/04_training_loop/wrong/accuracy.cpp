#include "exercises.h"

// answer: always_trains
// expect: after the evaluation of a model with a frozen batch norm
// Right inside a training loop.
namespace always_trains {
double accuracy(td::nn::Sequential& model, const std::vector<Batch>& batches, td::Device device) {
  const td::NoGradGuard no_grad;
  model->eval();
  std::int64_t right = 0, samples = 0;
  for (const Batch& batch : batches) {
    const td::Tensor guess = model->forward(batch.data.to(device)).argmax(1);
    right += (guess == batch.target.to(device)).sum().item<std::int64_t>();
    samples += batch.target.numel();
  }
  model->train();
  return samples == 0 ? 0.0 : static_cast<double>(right) / static_cast<double>(samples);
}
}  // namespace always_trains

// answer: mean_of_batches
// expect: 3 of 4 and 1 of 1 on cpu: index 0: expected 0.8
// Right when all batches have one size; the last one often has not.
namespace mean_of_batches {
double accuracy(td::nn::Sequential& model, const std::vector<Batch>& batches, td::Device device) {
  const td::NoGradGuard no_grad;
  const bool was_training = model->is_training();
  model->eval();
  double sum = 0;
  for (const Batch& batch : batches) {
    const td::Tensor guess = model->forward(batch.data.to(device)).argmax(1);
    sum += (guess == batch.target.to(device)).to(td::kFloat32).mean().item<double>();
  }
  model->train(was_training);
  return batches.empty() ? 0 : sum / static_cast<double>(batches.size());
}
}  // namespace mean_of_batches

// answer: mode_of_the_children
// expect: a frozen batch norm in an inner Sequential
// Right for a model whose layers are all directly below the root.
namespace mode_of_the_children {
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
}  // namespace mode_of_the_children

// answer: mode_of_the_root
// expect: after the evaluation of a model with a frozen batch norm
// Right for a model whose modules all have one mode.
namespace mode_of_the_root {
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
}  // namespace mode_of_the_root

// answer: records
// expect: the outputs are part of a graph
namespace records {
double accuracy(td::nn::Sequential& model, const std::vector<Batch>& batches, td::Device device) {
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
}  // namespace records

// answer: stays_in_eval
// expect: the model was in training mode before and is in evaluation mode now
// From the second epoch on batch norm and dropout are off, without any message.
namespace stays_in_eval {
double accuracy(td::nn::Sequential& model, const std::vector<Batch>& batches, td::Device device) {
  const td::NoGradGuard no_grad;
  model->eval();
  std::int64_t right = 0, samples = 0;
  for (const Batch& batch : batches) {
    const td::Tensor guess = model->forward(batch.data.to(device)).argmax(1);
    right += (guess == batch.target.to(device)).sum().item<std::int64_t>();
    samples += batch.target.numel();
  }
  return samples == 0 ? 0.0 : static_cast<double>(right) / static_cast<double>(samples);
}
}  // namespace stays_in_eval

// answer: switches_tracking_on
// expect: the caller had gradient tracking off
// Right where the caller had gradient tracking on.
namespace switches_tracking_on {
double accuracy(td::nn::Sequential& model, const std::vector<Batch>& batches, td::Device device) {
  td::GradMode::set_enabled(false);
  std::vector<std::pair<td::nn::Module*, bool>> modes;
  model->apply([&](td::nn::Module& m) { modes.emplace_back(&m, m.is_training()); });
  model->eval();
  std::int64_t right = 0, samples = 0;
  for (const Batch& batch : batches) {
    const td::Tensor guess = model->forward(batch.data.to(device)).argmax(1);
    right += (guess == batch.target.to(device)).sum().item<std::int64_t>();
    samples += batch.target.numel();
  }
  for (const auto& [module, on] : modes) module->train(on);
  td::GradMode::set_enabled(true);
  return samples == 0 ? 0.0 : static_cast<double>(right) / static_cast<double>(samples);
}
}  // namespace switches_tracking_on

// answer: targets_stay
// expect: is on sim:0 but
// Right on cpu: the answers are on the device, the targets are not.
namespace targets_stay {
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
}  // namespace targets_stay

// answer: training_mode
// expect: the running mean of the batch norm, which evaluation must not change
// Right for models without batch norm and dropout.
namespace training_mode {
double accuracy(td::nn::Sequential& model, const std::vector<Batch>& batches, td::Device device) {
  const td::NoGradGuard no_grad;
  std::int64_t right = 0, samples = 0;
  for (const Batch& batch : batches) {
    if (batch.target.numel() == 0) continue;
    const td::Tensor guess = model->forward(batch.data.to(device)).argmax(1);
    right += (guess == batch.target.to(device)).sum().item<std::int64_t>();
    samples += batch.target.numel();
  }
  return samples == 0 ? 0.0 : static_cast<double>(right) / static_cast<double>(samples);
}
}  // namespace training_mode

// answer: wrong_dimension
// expect: 3 of 4 and 1 of 1 on cpu: index 0: expected 0.8
// The largest sample of a class, not the largest class of a sample.
namespace wrong_dimension {
double accuracy(td::nn::Sequential& model, const std::vector<Batch>& batches, td::Device device) {
  const td::NoGradGuard no_grad;
  std::vector<std::pair<td::nn::Module*, bool>> modes;
  model->apply([&](td::nn::Module& m) { modes.emplace_back(&m, m.is_training()); });
  model->eval();
  std::int64_t right = 0, samples = 0;
  for (const Batch& batch : batches) {
    const td::Tensor guess = model->forward(batch.data.to(device)).argmax(0);
    right += (guess.slice(0, 0, 1) == batch.target.to(device)).sum().item<std::int64_t>();
    samples += batch.target.numel();
  }
  for (const auto& [module, on] : modes) module->train(on);
  return samples == 0 ? 0.0 : static_cast<double>(right) / static_cast<double>(samples);
}
}  // namespace wrong_dimension

// answer: no_batches_only
// expect: two batches without samples
// Looks for batches, not for samples, before it divides.
namespace no_batches_only {
double accuracy(td::nn::Sequential& model, const std::vector<Batch>& batches, td::Device device) {
  if (batches.empty()) return 0;
  const td::NoGradGuard no_grad;
  std::vector<std::pair<td::nn::Module*, bool>> modes;
  model->apply([&](td::nn::Module& module) { modes.emplace_back(&module, module.is_training()); });
  model->eval();
  std::int64_t right = 0, samples = 0;
  for (const Batch& batch : batches) {
    const td::Tensor guess = model->forward(batch.data.to(device)).argmax(1);
    right += (guess == batch.target.to(device)).sum().item<std::int64_t>();
    samples += batch.target.numel();
  }
  for (const auto& [module, training] : modes) module->train(training);
  return static_cast<double>(right) / static_cast<double>(samples);
}
}  // namespace no_batches_only

// answer: returns_too_early
// expect: after an evaluation without batches: module 0 of the tree should be in training mode
// Returns before it restores the modes where there are no samples.
namespace returns_too_early {
double accuracy(td::nn::Sequential& model, const std::vector<Batch>& batches, td::Device device) {
  const td::NoGradGuard no_grad;
  std::vector<std::pair<td::nn::Module*, bool>> modes;
  model->apply([&](td::nn::Module& m) { modes.emplace_back(&m, m.is_training()); });
  model->eval();
  double right = 0, samples = 0;
  for (const Batch& batch : batches) {
    const td::Tensor classes = model->forward(batch.data.to(device)).argmax(1);
    right += classes.eq(batch.target.to(device)).sum().item<double>();
    samples += static_cast<double>(batch.data.size(0));
  }
  if (samples == 0) return 0;
  for (const auto& [module, training] : modes) module->train(training);
  return right / samples;
}
}  // namespace returns_too_early
