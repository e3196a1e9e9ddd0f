// expect: the outputs of the evaluation are part of a graph
// Evaluation mode alone does not switch gradient tracking off.
#include "exercises.h"

namespace {

struct Guard {
  explicit Guard(td::nn::Module& model) {
    model.apply([this](td::nn::Module& m) { modes.emplace_back(&m, m.is_training()); });
    model.eval();
  }
  ~Guard() {
    for (const auto& [module, on] : modes) module->train(on);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  std::vector<std::pair<td::nn::Module*, bool>> modes;
};

}  // namespace

std::vector<EpochResult> fit(td::nn::Sequential& model, td::nn::CrossEntropyLoss& loss_fn,
                             const std::vector<Batch>& training, const std::vector<Batch>& test,
                             td::Device device, const FitOptions& options) {
  model->to(device);
  loss_fn->to(device);
  td::optim::SGD optimizer(model->parameters(),
                           td::optim::SGDOptions(options.lr).momentum(options.momentum));
  std::vector<EpochResult> results;
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    td::Tensor sum = td::zeros({}, device), right = td::zeros({}, device);
    std::int64_t samples = 0, tested = 0;
    for (const Batch& batch : training) {
      const td::Tensor x = batch.data.to(device, true), y = batch.target.to(device, true);
      optimizer.zero_grad();
      const td::Tensor loss = loss_fn(model->forward(x), y);
      loss.backward();
      optimizer.step();
      sum += loss.detach() * x.size(0);
      samples += x.size(0);
    }
    {
      const Guard guard(*model);
      for (const Batch& batch : test) {
        const td::Tensor x = batch.data.to(device, true), y = batch.target.to(device, true);
        right += (model->forward(x).argmax(1) == y).sum();
        tested += x.size(0);
      }
    }
    results.push_back({sum.item<double>() / static_cast<double>(samples),
                       tested ? right.item<double>() / static_cast<double>(tested) : 0});
  }
  return results;
}
