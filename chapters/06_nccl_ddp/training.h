// The parts of the training loop: a step, its time, its picture, the accuracy over all ranks, and
// the loop over epochs. Included by main.cpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <optional>

#include "images.h"
#include "strategies.h"
#include "trace/trace.h"

/// Seven linear layers with 12.4 MB of parameters: long to send, quick to compute.
inline td::nn::Sequential deep_net() {
  using namespace td::nn;
  Sequential net(AvgPool2d(4), Flatten(), Linear(192, 768), ReLU());
  for (int layer = 0; layer < 5; ++layer) {
    net->push_back(Linear(768, 768));
    net->push_back(ReLU());
  }
  net->push_back(Linear(768, 10));
  return net;
}

/// Seconds of a steady clock.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// anchor: step
inline td::Tensor train_step(Strategy& strategy, td::optim::Optimizer& optimizer,
                             const images::Batch& batch, td::Device device) {
  std::optional<td::trace::Span> phase;  // for --trace
  phase.emplace("forward");
  optimizer.zero_grad();
  const td::Tensor output = strategy.forward(batch.data.to(device));
  const td::Tensor loss = td::nn::CrossEntropyLoss()(output, batch.target.to(device));
  phase.emplace("backward");
  loss.backward();
  strategy.after_backward();
  phase.emplace("step");
  optimizer.step();
  return loss.detach();
}
// anchor end

/// Prints the median time of a step on one batch, for comparing strategies.
inline void show_step_time(Strategy& strategy, td::optim::Optimizer& optimizer,
                           const images::Batch& batch, td::Device device, std::int64_t steps,
                           ProcessGroup& group) {
  constexpr int kWarmUp = 3;
  std::vector<double> seconds;
  for (std::int64_t step = -kWarmUp; step < steps; ++step) {
    const double start = now();
    train_step(strategy, optimizer, batch, device);
    td::synchronize(device);
    if (step >= 0) seconds.push_back(now() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  if (group.rank() == 0)
    std::cout << "One step of " << batch.data.size(0) << " images per rank: " << std::fixed
              << std::setprecision(1) << 1e3 * seconds[seconds.size() / 2] << " ms\n";
}

/// Draws one step of rank 0, after three steps that allocate memory and form the buckets: phases of
/// the host, the device, and the collectives.
inline void draw_step(Strategy& strategy, td::optim::Optimizer& optimizer,
                      const images::Batch& batch, td::Device device, const std::string& path,
                      ProcessGroup& group) {
  for (int i = 0; i < 3; ++i) train_step(strategy, optimizer, batch, device);
  td::synchronize(device);
  group.barrier()->wait();
  td::trace::start();
  train_step(strategy, optimizer, batch, device);
  td::synchronize(device);
  const td::trace::Trace trace = td::trace::stop();
  if (group.rank() > 0) return;
  const auto options = td::trace::PictureOptions().host(true);
  std::cout << "One step of rank 0: " << td::trace::text_timeline(trace, options);
  if (path != "-") td::trace::write_svg(trace, path, options);
}

// anchor: accuracy
// The fraction of right answers over the whole test set. Each rank takes every world_size-th batch,
// so that each image counts exactly once.
inline double accuracy_of_all(td::nn::Sequential& model, const std::vector<images::Batch>& test,
                              td::Device device, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  model->eval();
  td::Tensor counts = td::zeros({2}, td::device(device).dtype(td::kInt64));  // right, seen
  for (auto i = static_cast<std::size_t>(group.rank()); i < test.size();
       i += static_cast<std::size_t>(group.size())) {
    const td::Tensor guess = model->forward(test[i].data.to(device)).argmax(1);
    counts[0].add_((guess == test[i].target.to(device)).sum());
    counts[1].add_(test[i].data.size(0));
  }
  model->train();
  group.all_reduce(counts)->wait();
  return counts[0].item<double>() / counts[1].item<double>();
}
// anchor end

/// Prints loss, test accuracy and rate of each epoch, on rank 0.
// anchor: epochs
inline void run_epochs(Strategy& strategy, td::nn::Sequential& model,
                       td::optim::Optimizer& optimizer, images::Set& set, std::int64_t epochs,
                       td::Device device, ProcessGroup& group) {
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    const double start = now();
    set.train->sampler().set_epoch(static_cast<std::uint64_t>(epoch));  // the same on every rank
    td::Tensor total = td::zeros({}, device);
    std::int64_t steps = 0;
    for (images::Batch& batch : *set.train) {
      total += train_step(strategy, optimizer, batch, device);
      ++steps;
    }
    group.all_reduce(total, td::distributed::ReduceOp::AVG)->wait();  // each rank has its own loss
    const double rate = static_cast<double>(set.samples) / (now() - start);
    const double right = accuracy_of_all(model, set.test, device, group);
    if (group.rank() == 0)
      std::cout << std::fixed << "Epoch " << epoch << ", Loss: " << std::setprecision(4)
                << total.item<double>() / static_cast<double>(steps)
                << ", test accuracy: " << std::setprecision(1) << 100 * right << " %, "
                << std::setprecision(0) << rate << " samples/s\n";
  }
}
// anchor end
