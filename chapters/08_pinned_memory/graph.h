// A training step of many small launches, asked for one by one and as one graph. main.cpp shows it
// with --show graph. Invariant: both make the same step, on the same memory.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <iomanip>
#include <iostream>
#include <vector>

#include "td/device/graph.h"
#include "td/td.h"

/// Microseconds a step: until the host has asked for it, and until the device is done.
struct StepTime {
  double asked, done;
};

/// Medians of `turns` turns of 20 steps that are queued without a wait.
inline StepTime step_time(const td::Stream& stream, int turns, const std::function<void()>& step) {
  constexpr int kSteps = 20;
  std::vector<double> asked, done;
  for (int turn = 0; turn < turns; ++turn) {
    stream.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    const auto since_begin = [begin] {
      const auto taken = std::chrono::steady_clock::now() - begin;
      return std::chrono::duration<double, std::micro>(taken).count() / kSteps;
    };
    for (int i = 0; i < kSteps; ++i) step();
    asked.push_back(since_begin());
    stream.synchronize();
    done.push_back(since_begin());
  }
  for (auto* times : {&asked, &done}) std::sort(times->begin(), times->end());
  return {asked[asked.size() / 2], done[done.size() / 2]};
}

inline void print_graph(td::Device device) {
  // anchor: graph
  const td::Stream stream = td::getStreamFromPool(device);
  const td::StreamGuard guard(stream);  // the default stream cannot be captured
  td::nn::Sequential model(td::nn::Linear(64, 64), td::nn::ReLU(), td::nn::Linear(64, 64),
                           td::nn::ReLU(), td::nn::Linear(64, 10));
  model->to(device);
  // capturable: the learning rate and the counters lie on the device, where a replay finds them
  td::optim::Adam optimizer(model->parameters(), td::optim::AdamOptions(1e-3).capturable(true));
  const td::Tensor x = td::randn({16, 64}).to(device);  // these two stay; batches are copied in
  const td::Tensor y = td::randint(0, 10, {16}, td::kInt64).to(device);
  td::Tensor loss;
  const auto step = [&] {
    optimizer.zero_grad();
    loss = td::nn::functional::cross_entropy(model->forward(x), y);
    loss.backward();
    optimizer.step();
  };
  for (int i = 0; i < 3; ++i) step();  // what is made at first use must be there

  td::Graph graph;
  graph.capture(stream, step);  // written down; nothing runs
  const td::Tensor graph_loss = loss;
  graph.replay();  // all of it runs, as one launch
  // anchor end
  const double before = graph_loss.item<double>();
  const StepTime eager = step_time(stream, 11, step);
  const StepTime replayed = step_time(stream, 11, [&] { graph.replay(); });
  std::cout << "A step is " << graph.size() << " launches and copies. Microseconds a step:\n"
            << "              the host asks   the device is done\n"
            << std::fixed << std::setprecision(1) << "one by one" << std::setw(17) << eager.asked
            << std::setw(21) << eager.done << "\nreplayed  " << std::setw(17) << replayed.asked
            << std::setw(21) << replayed.done << "\nThe loss went "
            << (graph_loss.item<double>() < before ? "down" : "up") << " meanwhile.\n";
}
