#include "exercises.h"

// answer: blocking_copies
// expect: something waits in every step
// Right about the numbers: `to` without non_blocking waits.
namespace blocking_copies {
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
      const td::Tensor x = batch.data.to(device), y = batch.target.to(device);
      optimizer.zero_grad();
      const td::Tensor loss = loss_fn(model->forward(x), y);
      loss.backward();
      optimizer.step();
      sum += loss.detach() * x.size(0);
      samples += x.size(0);
    }
    {
      const td::NoGradGuard no_grad;
      const Guard guard(*model);
      for (const Batch& batch : test) {
        const td::Tensor x = batch.data.to(device), y = batch.target.to(device);
        right += (model->forward(x).argmax(1) == y).sum();
        tested += x.size(0);
      }
    }
    results.push_back({sum.item<double>() / static_cast<double>(samples),
                       tested ? right.item<double>() / static_cast<double>(tested) : 0});
  }
  return results;
}
}  // namespace blocking_copies

// answer: divides_by_zero
// expect: the accuracy without test batches
// Right with test samples.
namespace divides_by_zero {
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
      const td::NoGradGuard no_grad;
      const Guard guard(*model);
      for (const Batch& batch : test) {
        const td::Tensor x = batch.data.to(device, true), y = batch.target.to(device, true);
        right += (model->forward(x).argmax(1) == y).sum();
        tested += x.size(0);
      }
    }
    results.push_back({sum.item<double>() / static_cast<double>(samples),
                       right.item<double>() / static_cast<double>(tested)});
  }
  return results;
}
}  // namespace divides_by_zero

// answer: item_in_each_step
// expect: something waits in every step
// Right about the numbers.
namespace item_in_each_step {
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
    double sum = 0;
    td::Tensor right = td::zeros({}, device);
    std::int64_t samples = 0, tested = 0;
    for (const Batch& batch : training) {
      const td::Tensor x = batch.data.to(device, true), y = batch.target.to(device, true);
      optimizer.zero_grad();
      const td::Tensor loss = loss_fn(model->forward(x), y);
      loss.backward();
      optimizer.step();
      sum += loss.item<double>() * static_cast<double>(x.size(0));
      samples += x.size(0);
    }
    {
      const td::NoGradGuard no_grad;
      const Guard guard(*model);
      for (const Batch& batch : test) {
        const td::Tensor x = batch.data.to(device, true), y = batch.target.to(device, true);
        right += (model->forward(x).argmax(1) == y).sum();
        tested += x.size(0);
      }
    }
    results.push_back({sum / static_cast<double>(samples),
                       tested ? right.item<double>() / static_cast<double>(tested) : 0});
  }
  return results;
}
}  // namespace item_in_each_step

// answer: loss_stays
// expect: cross_entropy
// Right for a loss function without class weights.
namespace loss_stays {
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
      const td::NoGradGuard no_grad;
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
}  // namespace loss_stays

// answer: mean_of_batches
// expect: the loss of epoch 0 on cpu (weight each step
// Right when all batches have one size.
namespace mean_of_batches {
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
      sum += loss.detach();
      samples += 1;
    }
    {
      const td::NoGradGuard no_grad;
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
}  // namespace mean_of_batches

// answer: no_evaluation_mode
// expect: batch_norm: training needs more than one value per channel
// The evaluation changes the running statistics.
namespace no_evaluation_mode {
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
      const td::NoGradGuard no_grad;
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
}  // namespace no_evaluation_mode

// answer: not_exception_safe
// expect: after an exception
// Right as long as the model does not throw.
namespace not_exception_safe {
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
      const td::NoGradGuard no_grad;
      std::vector<std::pair<td::nn::Module*, bool>> modes;
      model->apply([&](td::nn::Module& m) { modes.emplace_back(&m, m.is_training()); });
      model->eval();
      for (const Batch& batch : test) {
        const td::Tensor x = batch.data.to(device, true), y = batch.target.to(device, true);
        right += (model->forward(x).argmax(1) == y).sum();
        tested += x.size(0);
      }
      for (const auto& [module, on] : modes) module->train(on);
    }
    results.push_back({sum.item<double>() / static_cast<double>(samples),
                       tested ? right.item<double>() / static_cast<double>(tested) : 0});
  }
  return results;
}
}  // namespace not_exception_safe

// answer: optimizer_per_epoch
// expect: the loss of epoch 1 on cpu
// The momentum starts again in each epoch.
namespace optimizer_per_epoch {
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
  std::vector<EpochResult> results;
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    td::optim::SGD optimizer(model->parameters(),
                             td::optim::SGDOptions(options.lr).momentum(options.momentum));
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
      const td::NoGradGuard no_grad;
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
}  // namespace optimizer_per_epoch

// answer: records_the_evaluation
// expect: the outputs of the evaluation are part of a graph
// Evaluation mode alone does not switch gradient tracking off.
namespace records_the_evaluation {
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
}  // namespace records_the_evaluation

// answer: starts_in_training_mode
// expect: after fit with a frozen batch norm
// The usual first line of an epoch.
namespace starts_in_training_mode {
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
    model->train();
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
      const td::NoGradGuard no_grad;
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
}  // namespace starts_in_training_mode

// answer: sums_with_graphs
// expect: graphs of earlier steps
// The sum of the losses holds the graph of every step of the epoch.
namespace sums_with_graphs {
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
}  // namespace sums_with_graphs

// answer: train_after_eval
// expect: after fit with a frozen batch norm
// train() also reaches the frozen batch norm.
namespace train_after_eval {
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
      const td::NoGradGuard no_grad;
      model->eval();
      for (const Batch& batch : test) {
        const td::Tensor x = batch.data.to(device, true), y = batch.target.to(device, true);
        right += (model->forward(x).argmax(1) == y).sum();
        tested += x.size(0);
      }
      model->train();
    }
    results.push_back({sum.item<double>() / static_cast<double>(samples),
                       tested ? right.item<double>() / static_cast<double>(tested) : 0});
  }
  return results;
}
}  // namespace train_after_eval

// answer: zeroes_after_the_step
// expect: a model that had gradients before fit was called
// Right for a model without gradients: old ones count in the first step.
namespace zeroes_after_the_step {
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
      const td::Tensor loss = loss_fn(model->forward(here.data), here.target);
      loss.backward();
      optimizer.step();
      optimizer.zero_grad();
      loss_sum += loss.detach() * batch.data.size(0);
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
}  // namespace zeroes_after_the_step

// answer: divides_by_no_samples
// expect: the accuracy of test batches without samples
// Looks for batches, not for samples, before it divides.
namespace divides_by_no_samples {
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
      const td::NoGradGuard no_grad;
      const Guard guard(*model);
      for (const Batch& batch : test) {
        const td::Tensor x = batch.data.to(device, true), y = batch.target.to(device, true);
        right += (model->forward(x).argmax(1) == y).sum();
        tested += x.size(0);
      }
    }
    results.push_back({sum.item<double>() / static_cast<double>(samples),
                       test.empty() ? 0 : right.item<double>() / static_cast<double>(tested)});
  }
  return results;
}
}  // namespace divides_by_no_samples

// answer: own_momentum
// expect: with lr 0.05 and momentum 0.5
// Writes the usual momentum into the program.
namespace own_momentum {
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
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(options.lr).momentum(0.9));
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
      const td::NoGradGuard no_grad;
      const Guard guard(*model);
      for (const Batch& batch : test) {
        const td::Tensor x = batch.data.to(device, true), y = batch.target.to(device, true);
        right += (model->forward(x).argmax(1) == y).sum();
        tested += x.size(0);
      }
    }
    results.push_back({sum.item<double>() / static_cast<double>(samples),
                       tested == 0 ? 0 : right.item<double>() / static_cast<double>(tested)});
  }
  return results;
}
}  // namespace own_momentum

// answer: evaluates_before
// expect: the accuracy of epoch 0 on cpu
// Evaluates at the beginning of each epoch.
namespace evaluates_before {
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
    {
      const td::NoGradGuard no_grad;
      const Guard guard(*model);
      for (const Batch& batch : test) {
        const td::Tensor x = batch.data.to(device, true), y = batch.target.to(device, true);
        right += (model->forward(x).argmax(1) == y).sum();
        tested += x.size(0);
      }
    }
    for (const Batch& batch : training) {
      const td::Tensor x = batch.data.to(device, true), y = batch.target.to(device, true);
      optimizer.zero_grad();
      const td::Tensor loss = loss_fn(model->forward(x), y);
      loss.backward();
      optimizer.step();
      sum += loss.detach() * x.size(0);
      samples += x.size(0);
    }
    results.push_back({sum.item<double>() / static_cast<double>(samples),
                       tested == 0 ? 0 : right.item<double>() / static_cast<double>(tested)});
  }
  return results;
}
}  // namespace evaluates_before

// answer: evaluates_once
// expect: the accuracy of epoch
// Evaluates after the last epoch only, and reports this accuracy for all of them.
namespace evaluates_once {
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
      const td::NoGradGuard no_grad;
      const Guard guard(*model);
      for (const Batch& batch : test) {
        const td::Tensor x = batch.data.to(device, true), y = batch.target.to(device, true);
        right += (model->forward(x).argmax(1) == y).sum();
        tested += x.size(0);
      }
    }
    results.push_back({sum.item<double>() / static_cast<double>(samples),
                       tested == 0 ? 0 : right.item<double>() / static_cast<double>(tested)});
  }
  for (EpochResult& result : results) result.accuracy = results.back().accuracy;
  return results;
}
}  // namespace evaluates_once

// answer: forgets_the_class_weights
// expect: on cpu (weight each step with its samples; `loss_fn`, which has weights for the classes
// Computes the loss with a loss function of its own.
namespace forgets_the_class_weights {
std::vector<EpochResult> fit(td::nn::Sequential& model, td::nn::CrossEntropyLoss& loss_fn,
                             const std::vector<Batch>& training, const std::vector<Batch>& test,
                             td::Device device, const FitOptions& options) {
  model->to(device);
  loss_fn->to(device);
  td::optim::SGD optimizer(model->parameters(),
                           td::optim::SGDOptions(options.lr).momentum(options.momentum));
  std::vector<EpochResult> results;
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    td::Tensor loss_sum = td::zeros({}, device), right = td::zeros({}, device);
    double samples = 0, tested = 0;
    for (const Batch& batch : training) {
      const td::Tensor data = batch.data.to(device, true), target = batch.target.to(device, true);
      optimizer.zero_grad();
      const td::Tensor loss = td::cross_entropy_loss(model->forward(data), target);
      loss.backward();
      optimizer.step();
      loss_sum += loss.detach() * data.size(0);
      samples += static_cast<double>(data.size(0));
    }
    std::vector<std::pair<td::nn::Module*, bool>> modes;
    model->apply([&](td::nn::Module& m) { modes.emplace_back(&m, m.is_training()); });
    model->eval();
    const td::NoGradGuard no_grad;
    for (const Batch& batch : test) {
      const td::Tensor classes = model->forward(batch.data.to(device, true)).argmax(1);
      right += classes.eq(batch.target.to(device, true)).sum();
      tested += static_cast<double>(batch.data.size(0));
    }
    for (const auto& [module, training_mode] : modes) module->train(training_mode);
    results.push_back(
        {loss_sum.item<double>() / samples, tested == 0 ? 0 : right.item<double>() / tested});
  }
  return results;
}
}  // namespace forgets_the_class_weights
