#include "exercises.h"

// answer: counts_batches
// expect: the loss of epoch 0
// The mean of the batches' losses: right where all batches have one size.
namespace counts_batches {
std::vector<EpochResult> train_and_test(td::nn::Sequential& model,
                                        const std::vector<Batch>& training,
                                        const std::vector<Batch>& test, td::Device device,
                                        std::int64_t epochs) {
  model->to(device);
  td::nn::CrossEntropyLoss loss_fn;
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.05).momentum(0.9));
  std::vector<EpochResult> results;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    model->train();
    td::Tensor loss_sum = td::zeros({}, device);
    double samples = 0, right = 0, tested = 0;
    for (const Batch& batch : training) {
      const td::Tensor data = batch.data.to(device), target = batch.target.to(device);
      optimizer.zero_grad();
      const td::Tensor loss = loss_fn(model->forward(data), target);
      loss.backward();
      optimizer.step();
      loss_sum += loss.detach();
      samples += 1;
    }
    model->eval();
    const td::NoGradGuard no_grad;
    for (const Batch& batch : test) {
      const td::Tensor classes = model->forward(batch.data.to(device)).argmax(1);
      right += classes.eq(batch.target.to(device)).sum().item<double>();
      tested += static_cast<double>(batch.data.size(0));
    }
    results.push_back({loss_sum.item<double>() / samples, right / tested});
  }
  return results;
}
}  // namespace counts_batches

// answer: keeps_the_graphs
// expect: earlier steps were still in memory
// The sum is part of the graph of every batch of the epoch.
namespace keeps_the_graphs {
std::vector<EpochResult> train_and_test(td::nn::Sequential& model,
                                        const std::vector<Batch>& training,
                                        const std::vector<Batch>& test, td::Device device,
                                        std::int64_t epochs) {
  model->to(device);
  td::nn::CrossEntropyLoss loss_fn;
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.05).momentum(0.9));
  std::vector<EpochResult> results;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    model->train();
    td::Tensor loss_sum = td::zeros({}, device);
    double samples = 0, right = 0, tested = 0;
    for (const Batch& batch : training) {
      const td::Tensor data = batch.data.to(device), target = batch.target.to(device);
      optimizer.zero_grad();
      const td::Tensor loss = loss_fn(model->forward(data), target);
      loss.backward();
      optimizer.step();
      loss_sum = loss_sum + loss * data.size(0);
      samples += static_cast<double>(data.size(0));
    }
    model->eval();
    const td::NoGradGuard no_grad;
    for (const Batch& batch : test) {
      const td::Tensor classes = model->forward(batch.data.to(device)).argmax(1);
      right += classes.eq(batch.target.to(device)).sum().item<double>();
      tested += static_cast<double>(batch.data.size(0));
    }
    results.push_back({loss_sum.item<double>() / samples, right / tested});
  }
  return results;
}
}  // namespace keeps_the_graphs

// answer: never_zeroes
// expect: does each step use the gradients of its own batch only?
// The gradients of all batches add up.
namespace never_zeroes {
std::vector<EpochResult> train_and_test(td::nn::Sequential& model,
                                        const std::vector<Batch>& training,
                                        const std::vector<Batch>& test, td::Device device,
                                        std::int64_t epochs) {
  model->to(device);
  td::nn::CrossEntropyLoss loss_fn;
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.05).momentum(0.9));
  std::vector<EpochResult> results;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    model->train();
    td::Tensor loss_sum = td::zeros({}, device);
    double samples = 0, right = 0, tested = 0;
    for (const Batch& batch : training) {
      const td::Tensor data = batch.data.to(device), target = batch.target.to(device);
      const td::Tensor loss = loss_fn(model->forward(data), target);
      loss.backward();
      optimizer.step();
      loss_sum += loss.detach() * data.size(0);
      samples += static_cast<double>(data.size(0));
    }
    model->eval();
    const td::NoGradGuard no_grad;
    for (const Batch& batch : test) {
      const td::Tensor classes = model->forward(batch.data.to(device)).argmax(1);
      right += classes.eq(batch.target.to(device)).sum().item<double>();
      tested += static_cast<double>(batch.data.size(0));
    }
    results.push_back({loss_sum.item<double>() / samples, right / tested});
  }
  return results;
}
}  // namespace never_zeroes

// answer: new_optimizer
// expect: does the velocity of an epoch reach the next one?
// Each epoch begins without momentum.
namespace new_optimizer {
std::vector<EpochResult> train_and_test(td::nn::Sequential& model,
                                        const std::vector<Batch>& training,
                                        const std::vector<Batch>& test, td::Device device,
                                        std::int64_t epochs) {
  model->to(device);
  td::nn::CrossEntropyLoss loss_fn;
  std::vector<EpochResult> results;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.05).momentum(0.9));
    model->train();
    td::Tensor loss_sum = td::zeros({}, device);
    double samples = 0, right = 0, tested = 0;
    for (const Batch& batch : training) {
      const td::Tensor data = batch.data.to(device), target = batch.target.to(device);
      optimizer.zero_grad();
      const td::Tensor loss = loss_fn(model->forward(data), target);
      loss.backward();
      optimizer.step();
      loss_sum += loss.detach() * data.size(0);
      samples += static_cast<double>(data.size(0));
    }
    model->eval();
    const td::NoGradGuard no_grad;
    for (const Batch& batch : test) {
      const td::Tensor classes = model->forward(batch.data.to(device)).argmax(1);
      right += classes.eq(batch.target.to(device)).sum().item<double>();
      tested += static_cast<double>(batch.data.size(0));
    }
    results.push_back({loss_sum.item<double>() / samples, right / tested});
  }
  return results;
}
}  // namespace new_optimizer

// answer: tests_in_training_mode
// expect: the number of batches that the batch norm has seen
// The test normalizes with its own batches, and changes the running mean.
namespace tests_in_training_mode {
std::vector<EpochResult> train_and_test(td::nn::Sequential& model,
                                        const std::vector<Batch>& training,
                                        const std::vector<Batch>& test, td::Device device,
                                        std::int64_t epochs) {
  model->to(device);
  td::nn::CrossEntropyLoss loss_fn;
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.05).momentum(0.9));
  std::vector<EpochResult> results;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    model->train();
    td::Tensor loss_sum = td::zeros({}, device);
    double samples = 0, right = 0, tested = 0;
    for (const Batch& batch : training) {
      const td::Tensor data = batch.data.to(device), target = batch.target.to(device);
      optimizer.zero_grad();
      const td::Tensor loss = loss_fn(model->forward(data), target);
      loss.backward();
      optimizer.step();
      loss_sum += loss.detach() * data.size(0);
      samples += static_cast<double>(data.size(0));
    }
    const td::NoGradGuard no_grad;
    for (const Batch& batch : test) {
      const td::Tensor classes = model->forward(batch.data.to(device)).argmax(1);
      right += classes.eq(batch.target.to(device)).sum().item<double>();
      tested += static_cast<double>(batch.data.size(0));
    }
    results.push_back({loss_sum.item<double>() / samples, right / tested});
  }
  return results;
}
}  // namespace tests_in_training_mode

// answer: trains_once
// expect: the number of batches that the batch norm has seen in 4 epochs
// After the first test the model stays in evaluation mode.
namespace trains_once {
std::vector<EpochResult> train_and_test(td::nn::Sequential& model,
                                        const std::vector<Batch>& training,
                                        const std::vector<Batch>& test, td::Device device,
                                        std::int64_t epochs) {
  model->to(device);
  td::nn::CrossEntropyLoss loss_fn;
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.05).momentum(0.9));
  model->train();
  std::vector<EpochResult> results;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    td::Tensor loss_sum = td::zeros({}, device);
    double samples = 0, right = 0, tested = 0;
    for (const Batch& batch : training) {
      const td::Tensor data = batch.data.to(device), target = batch.target.to(device);
      optimizer.zero_grad();
      const td::Tensor loss = loss_fn(model->forward(data), target);
      loss.backward();
      optimizer.step();
      loss_sum += loss.detach() * data.size(0);
      samples += static_cast<double>(data.size(0));
    }
    model->eval();
    const td::NoGradGuard no_grad;
    for (const Batch& batch : test) {
      const td::Tensor classes = model->forward(batch.data.to(device)).argmax(1);
      right += classes.eq(batch.target.to(device)).sum().item<double>();
      tested += static_cast<double>(batch.data.size(0));
    }
    results.push_back({loss_sum.item<double>() / samples, right / tested});
  }
  return results;
}
}  // namespace trains_once

// answer: zeroes_each_epoch
// expect: does each step use the gradients of its own batch only?
// Right where an epoch has one batch.
namespace zeroes_each_epoch {
std::vector<EpochResult> train_and_test(td::nn::Sequential& model,
                                        const std::vector<Batch>& training,
                                        const std::vector<Batch>& test, td::Device device,
                                        std::int64_t epochs) {
  model->to(device);
  td::nn::CrossEntropyLoss loss_fn;
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.05).momentum(0.9));
  std::vector<EpochResult> results;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    model->train();
    optimizer.zero_grad();
    td::Tensor loss_sum = td::zeros({}, device);
    double samples = 0, right = 0, tested = 0;
    for (const Batch& batch : training) {
      const td::Tensor data = batch.data.to(device), target = batch.target.to(device);
      const td::Tensor loss = loss_fn(model->forward(data), target);
      loss.backward();
      optimizer.step();
      loss_sum += loss.detach() * data.size(0);
      samples += static_cast<double>(data.size(0));
    }
    model->eval();
    const td::NoGradGuard no_grad;
    for (const Batch& batch : test) {
      const td::Tensor classes = model->forward(batch.data.to(device)).argmax(1);
      right += classes.eq(batch.target.to(device)).sum().item<double>();
      tested += static_cast<double>(batch.data.size(0));
    }
    results.push_back({loss_sum.item<double>() / samples, right / tested});
  }
  return results;
}
}  // namespace zeroes_each_epoch

// answer: zeroes_too_late
// expect: does each step use the gradients of its own batch only?
// The step finds no gradients.
namespace zeroes_too_late {
std::vector<EpochResult> train_and_test(td::nn::Sequential& model,
                                        const std::vector<Batch>& training,
                                        const std::vector<Batch>& test, td::Device device,
                                        std::int64_t epochs) {
  model->to(device);
  td::nn::CrossEntropyLoss loss_fn;
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.05).momentum(0.9));
  std::vector<EpochResult> results;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    model->train();
    td::Tensor loss_sum = td::zeros({}, device);
    double samples = 0, right = 0, tested = 0;
    for (const Batch& batch : training) {
      const td::Tensor data = batch.data.to(device), target = batch.target.to(device);
      const td::Tensor loss = loss_fn(model->forward(data), target);
      loss.backward();
      optimizer.zero_grad();
      optimizer.step();
      loss_sum += loss.detach() * data.size(0);
      samples += static_cast<double>(data.size(0));
    }
    model->eval();
    const td::NoGradGuard no_grad;
    for (const Batch& batch : test) {
      const td::Tensor classes = model->forward(batch.data.to(device)).argmax(1);
      right += classes.eq(batch.target.to(device)).sum().item<double>();
      tested += static_cast<double>(batch.data.size(0));
    }
    results.push_back({loss_sum.item<double>() / samples, right / tested});
  }
  return results;
}
}  // namespace zeroes_too_late

// answer: only_norms_evaluate
// expect: a layer should be called 6 times in training mode and 4 times in evaluation mode; it was
// 10 and 0 Puts only the layers with buffers into evaluation mode, and so no dropout.
namespace only_norms_evaluate {
std::vector<EpochResult> train_and_test(td::nn::Sequential& model,
                                        const std::vector<Batch>& training,
                                        const std::vector<Batch>& test, td::Device device,
                                        std::int64_t epochs) {
  model->to(device);
  td::nn::CrossEntropyLoss loss_fn;
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.05).momentum(0.9));
  std::vector<EpochResult> results;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    model->train();
    td::Tensor loss_sum = td::zeros({}, device);
    double samples = 0, right = 0, tested = 0;
    for (const Batch& batch : training) {
      const td::Tensor data = batch.data.to(device), target = batch.target.to(device);
      optimizer.zero_grad();
      const td::Tensor loss = loss_fn(model->forward(data), target);
      loss.backward();
      optimizer.step();
      loss_sum += loss.detach() * data.size(0);
      samples += static_cast<double>(data.size(0));
    }
    for (const auto& layer : model->children())
      if (!layer->buffers().empty()) layer->eval();
    const td::NoGradGuard no_grad;
    for (const Batch& batch : test) {
      const td::Tensor classes = model->forward(batch.data.to(device)).argmax(1);
      right += classes.eq(batch.target.to(device)).sum().item<double>();
      tested += static_cast<double>(batch.data.size(0));
    }
    results.push_back({loss_sum.item<double>() / samples, right / tested});
  }
  return results;
}
}  // namespace only_norms_evaluate
