// One training and its measurements. Included by the programs and curves.h.
// Invariant: every measurement waits until the device has finished its work.
#pragma once

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "recipes.h"

using Batch = td::data::Example<>;

/// The results of one training.
struct Training {
  std::string name;
  std::vector<double> losses, scales;  ///< of each step
  std::vector<std::size_t> skipped;    ///< steps, counted from 0
  double accuracy = 0;                 ///< on the test half
  double step_time = 0;                ///< seconds, median
  double peak_bytes = 0;               ///< the most that a step needs on top of model and optimizer
  double kept_bytes = 0;               ///< memory that one forward pass saves for backward
};

/// A scale in full: 1048576, not 1.04858e+06.
inline std::string number(double scale) {
  std::string text = std::to_string(scale);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double accuracy(const Recipe& recipe, const std::vector<Batch>& test, td::Device device) {
  const td::NoGradGuard no_grad;
  double right = 0, all = 0;
  for (const Batch& batch : test) {
    const td::Tensor guess = recipe.output(batch.data.to(device)).argmax(1);
    right += (guess == batch.target.to(device)).sum().item<double>();
    all += static_cast<double>(batch.target.numel());
  }
  return right / all;
}

// After the training, on one batch: the memory saved for backward, the most that a step needs,
// and the median of seven steps.
inline void probe(const Recipe& recipe, td::optim::Optimizer& optimizer, const Batch& batch,
                  td::Device device, Training& training) {
  const td::Tensor input = batch.data.to(device), target = batch.target.to(device);
  const auto memory = [&](std::size_t td::MemoryStats::*of) {
    return static_cast<double>(td::memory_stats(device).*of);
  };
  std::vector<double> times;
  for (int i = 0; i < 8; ++i) {
    td::synchronize(device);
    td::allocator(device).reset_peak();
    const double before = memory(&td::MemoryStats::allocated), start = now();
    const td::Tensor loss = recipe.loss(input, target);
    training.kept_bytes = memory(&td::MemoryStats::allocated) - before;
    recipe.step(loss);
    optimizer.zero_grad();
    td::synchronize(device);
    training.peak_bytes = memory(&td::MemoryStats::peak_allocated) - before;
    if (i > 0) times.push_back(now() - start);  // the first warms up
  }
  std::sort(times.begin(), times.end());
  training.step_time = times[times.size() / 2];
}

// Prints how the scale changed, and stores it.
inline void note_scale(const Recipe& recipe, bool stepped, Training& training) {
  const double before = training.scales.back(), scale = recipe.scale();
  training.scales.push_back(scale);
  const std::string where = "step " + std::to_string(training.scales.size() - 1);
  if (!stepped) {
    training.skipped.push_back(training.scales.size() - 2);
    std::cout << "  " << where << ": overflow, skipped; the scale is " << number(scale) << " now\n";
  } else if (scale > before) {
    std::cout << "  " << where << ": the scale grows to " << number(scale) << '\n';
  }
}
