#include "exercises.h"

// answer: reads_each_loss
// Reads each loss on the host, sets the gradients to zero after the step, and tests under
// InferenceMode.
namespace reads_each_loss {
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
    double loss_sum = 0, samples = 0, right = 0, tested = 0;
    for (const Batch& batch : training) {
      const td::Tensor data = batch.data.to(device), target = batch.target.to(device);
      const td::Tensor loss = loss_fn(model->forward(data), target);
      loss.backward();
      optimizer.step();
      optimizer.zero_grad();
      loss_sum += loss.item<double>() * static_cast<double>(data.size(0));
      samples += static_cast<double>(data.size(0));
    }
    model->eval();
    const td::InferenceMode inference;
    for (const Batch& batch : test) {
      const td::Tensor classes = model->forward(batch.data.to(device)).argmax(1);
      right += classes.eq(batch.target.to(device)).sum().item<double>();
      tested += static_cast<double>(batch.data.size(0));
    }
    results.push_back({loss_sum / samples, right / tested});
  }
  return results;
}
}  // namespace reads_each_loss

// answer: drops_the_gradients
// Leaves no gradient after a step, and adds the losses up in place.
namespace drops_the_gradients {
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
      for (const td::Tensor& p : model->parameters()) p.mutable_grad() = td::Tensor();
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
}  // namespace drops_the_gradients
