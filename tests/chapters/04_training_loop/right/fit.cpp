#include "exercises.h"

// answer: two_functions
// Two functions; stacks the losses and reads both sums with one copy each.
namespace two_functions {
namespace {

Batch on(td::Device device, const Batch& b) {
  return {b.data.to(device, b.data.dtype(), true), b.target.to(device, b.target.dtype(), true)};
}

td::Tensor train_epoch(td::nn::Sequential& model, td::nn::CrossEntropyLoss& loss_fn,
                       td::optim::SGD& optimizer, const std::vector<Batch>& batches,
                       td::Device device) {
  std::vector<td::Tensor> losses;
  for (const Batch& host : batches) {
    const Batch b = on(device, host);
    model->zero_grad();
    td::Tensor loss = loss_fn(model->forward(b.data), b.target);
    loss.backward();
    optimizer.step();
    losses.push_back(loss.detach());
  }
  return td::stack(losses).cpu();
}

double evaluate(td::nn::Sequential& model, const std::vector<Batch>& batches, td::Device device) {
  std::vector<bool> modes;
  model->apply([&](td::nn::Module& m) { modes.push_back(m.is_training()); });
  const auto restore = [&] {
    std::size_t i = 0;
    model->apply([&](td::nn::Module& m) { m.train(modes[i++]); });
  };
  const td::InferenceMode inference;
  model->eval();
  td::Tensor right = td::zeros({}, device);
  double samples = 0;
  try {
    for (const Batch& host : batches) {
      const Batch b = on(device, host);
      right = right + (model->forward(b.data).argmax(1) == b.target).to(td::kFloat32).sum();
      samples += static_cast<double>(host.data.size(0));
    }
  } catch (...) {
    restore();
    throw;
  }
  restore();
  return samples > 0 ? right.item<double>() / samples : 0;
}

}  // namespace

std::vector<EpochResult> fit(td::nn::Sequential& model, td::nn::CrossEntropyLoss& loss_fn,
                             const std::vector<Batch>& training, const std::vector<Batch>& test,
                             td::Device device, const FitOptions& options) {
  model->to(device);
  loss_fn->to(device);
  td::optim::SGDOptions settings(options.lr);
  settings.momentum(options.momentum);
  td::optim::SGD optimizer(model->parameters(), settings);
  std::vector<EpochResult> results;
  while (static_cast<std::int64_t>(results.size()) < options.epochs) {
    const td::Tensor losses = train_epoch(model, loss_fn, optimizer, training, device);
    double sum = 0, samples = 0;
    for (std::size_t i = 0; i < training.size(); ++i) {
      const auto n = static_cast<double>(training[i].target.size(0));
      sum += n * losses[static_cast<std::int64_t>(i)].item<double>();
      samples += n;
    }
    results.push_back({sum / samples, evaluate(model, test, device)});
  }
  return results;
}
}  // namespace two_functions
