// expect: graphs of earlier steps
// The sum of the losses holds the graph of every step of the epoch.
#include "exercises.h"

namespace {

// Evaluation mode for a model, and gradient tracking off, until the end of the scope.
class EvaluationMode {
 public:
  explicit EvaluationMode(td::nn::Module& model) {
    model.apply([this](td::nn::Module& m) { modes_.emplace_back(&m, m.is_training()); });
    model.eval();
  }
  ~EvaluationMode() {
    for (const auto& [module, training] : modes_) module->train(training);
  }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  td::NoGradGuard no_grad_;
  std::vector<std::pair<td::nn::Module*, bool>> modes_;
};

Batch moved(const Batch& batch, td::Device device) {
  return {batch.data.to(device, /*non_blocking=*/true),
          batch.target.to(device, /*non_blocking=*/true)};
}

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
    td::Tensor loss_sum = td::zeros({}, device);
    td::Tensor right = td::zeros({}, td::TensorOptions(td::kInt64).device(device));
    std::int64_t samples = 0, tested = 0;
    for (const Batch& batch : training) {
      const Batch here = moved(batch, device);
      optimizer.zero_grad();
      const td::Tensor loss = loss_fn(model->forward(here.data), here.target);
      loss.backward();
      optimizer.step();
      loss_sum += loss * batch.data.size(0);
      samples += batch.data.size(0);
    }
    {
      const EvaluationMode evaluation(*model);
      for (const Batch& batch : test) {
        const Batch here = moved(batch, device);
        right += (model->forward(here.data).argmax(1) == here.target).sum();
        tested += batch.data.size(0);
      }
    }
    const auto mean = [](double sum, std::int64_t n) {
      return n == 0 ? 0.0 : sum / static_cast<double>(n);
    };
    results.push_back({mean(loss_sum.item<double>(), samples), mean(right.item<double>(), tested)});
  }
  return results;
}
