// One model on two devices: the host and a device, then two devices, in micro-batches. main.cpp
// shows it. Invariant: wherever the layers are, they begin with the same weights and see the same
// batch.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <iomanip>
#include <iostream>
#include <string>

#include "app/app.h"
#include "app/interleaved.h"
#include "exercises.h"
#include "trace/trace.h"

namespace split {

constexpr std::int64_t kLayers = 8, kWidth = 256, kClasses = 10, kMicroBatches = 4;
/// The first layer computes no gradient of its input, which saves a third of a layer's work. Its
/// input is therefore 1.5 times as wide: then half of the layers are half of the work.
constexpr std::int64_t kInputs = kWidth * 3 / 2;

/// Returns numbers between -scale / 2 and scale / 2 from a formula, so that pytorch.py has the
/// same.
inline td::Tensor numbers(td::IntArrayRef sizes, double scale) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  const td::Tensor i = td::arange(count).to(td::kInt64);
  const td::Tensor squares = (i * i).remainder(1009).to(td::kFloat32);
  return ((squares / 1009 - 0.5) * scale).reshape(sizes);
}

/// Returns layers `from` to `to` - 1 of the model.
inline td::nn::Sequential layers(std::int64_t from, std::int64_t to) {
  td::nn::Sequential part;
  for (std::int64_t i = from; i < to; ++i) {
    part->push_back(td::nn::Linear(i == 0 ? kInputs : kWidth, kWidth));
    part->push_back(td::nn::ReLU());
  }
  if (to == kLayers) part->push_back(td::nn::Linear(kWidth, kClasses));
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : part->parameters())
    parameter.copy_(numbers(parameter.sizes(), 0.2));
  return part;
}

/// Returns the model, cut after its first `in_front` layers.
inline SplitModel split_model(std::int64_t in_front, td::Device first, td::Device second) {
  const td::nn::Sequential front = layers(0, in_front);
  return SplitModel(front, layers(in_front, kLayers), first, second);
}

/// Such a model with an optimizer and one batch.
struct Training {
  Training(std::int64_t in_front, td::Device first, td::Device second, const Batch& from_host)
      : model(split_model(in_front, first, second)),
        optimizer(model.parameters(), td::optim::SGDOptions(0.05)),
        batch{from_host.data.to(first), from_host.target.to(second)} {}

  /// One step. With 0 micro-batches it takes the whole batch, with one graph over both parts.
  void step(std::int64_t micro_batches) {
    optimizer.zero_grad();
    if (micro_batches == 0) {
      const td::Tensor output = split_forward(model, batch.data);
      loss = td::nn::functional::cross_entropy(output, batch.target);
      loss.backward();
    } else {
      loss = split_backward(model, batch, micro_batches);
    }
    optimizer.step();
  }
  void finish() const {
    td::synchronize(model.first_device);
    td::synchronize(model.second_device);
  }
  app::Variant variant(std::int64_t micro_batches) {
    return [this, micro_batches] {
      step(micro_batches);
      finish();
    };
  }
  std::string where() const {
    const std::string first = model.first_device.str(), second = model.second_device.str();
    return first == second ? first : first + " and " + second;
  }

  SplitModel model;
  td::optim::SGD optimizer;
  Batch batch;
  td::Tensor loss;
};

/// Returns how many layers to put on the first device so that both devices take equally long.
inline std::int64_t balance(td::Device first, td::Device second, std::int64_t rows) {
  const auto layer = [rows](td::Device device) -> app::Variant {
    td::nn::Linear linear(kWidth, kWidth);
    linear->to(device);
    const td::Tensor x = td::randn({rows, kWidth}).to(device).requires_grad_();
    return [linear, x, device]() mutable {
      linear->forward(x).relu().sum().backward();
      td::synchronize(device);
    };
  };
  const std::vector<double> seconds =
      app::median_seconds_interleaved({layer(first), layer(second)}, 5);
  const double share = seconds[1] / (seconds[0] + seconds[1]);
  return std::clamp<std::int64_t>(std::llround(share * kLayers), 1, kLayers - 1);
}

/// Losses of the plain model and of its splits. @throws Error when they differ.
inline void print_losses(std::deque<Training>& trainings) {
  constexpr int kSteps = 5;
  double plain = 0, furthest = 0;
  for (int step = 0; step < kSteps; ++step)
    for (std::size_t i = 0; i < trainings.size(); ++i) {
      trainings[i].step(i == 0 ? 0 : kMicroBatches);
      const double loss = trainings[i].loss.item<double>();
      if (i == 0) plain = loss;
      furthest = std::max(furthest, std::abs(loss - plain));
    }
  TD_CHECK(td::Error, furthest < 1e-3, "split: a loss is ", furthest,
           " away from the plain model's; on two devices the model should compute the same");
  std::cout << "After " << kSteps << " steps the loss is " << std::fixed << std::setprecision(4)
            << plain << " on one device; on two it differed by at most " << std::setprecision(6)
            << std::max(furthest, 1e-6) << ".\n";
}

/// Times in milliseconds.
inline void print_times(std::deque<Training>& trainings) {
  std::vector<app::Variant> variants;
  for (Training& training : trainings)
    for (const std::int64_t micro_batches : {std::int64_t{0}, kMicroBatches})
      variants.push_back(training.variant(micro_batches));
  const std::vector<double> seconds = app::median_seconds_interleaved(variants, 11);
  std::cout << "milliseconds per step the whole batch   " << kMicroBatches
            << " micro-batches   speed-up\n"
            << std::fixed << std::setprecision(2);
  for (std::size_t i = 0; i < trainings.size(); ++i) {
    const double whole = seconds[2 * i], pieces = seconds[2 * i + 1];
    std::cout << std::setw(19) << trainings[i].where() << std::setw(18) << 1e3 * whole
              << std::setw(18) << 1e3 * pieces << std::setw(11) << whole / pieces << '\n';
  }
}

/// Prints the peak memory of each device in a step, in 10^6 bytes.
inline void print_memory(const std::vector<td::Device>& devices, const Batch& batch) {
  std::cout << "peak memory, megabytes    " << devices[0] << "     " << devices[1] << '\n';
  for (const td::Device& second : devices) {
    Training training(kLayers / 2, devices[0], second, batch);
    training.variant(0)();
    for (const td::Device& device : devices) td::allocator(device).reset_peak();
    training.variant(0)();
    std::cout << std::setw(19) << training.where() << std::fixed << std::setprecision(1);
    for (const td::Device& device : devices)
      std::cout << std::setw(device.index() == devices[0].index() ? 12 : 10)
                << static_cast<double>(td::memory_stats(device).peak_allocated) / 1e6;
    std::cout << '\n';
  }
}

inline td::trace::Trace traced(Training& training, std::int64_t micro_batches) {
  training.finish();
  td::trace::start();
  split_backward(training.model, training.batch, micro_batches);
  return td::trace::stop();
}

/// Returns the fraction of a forward and backward pass in which two devices compute nothing: the
/// median of five.
inline double bubble(Training& training, std::int64_t micro_batches) {
  std::vector<double> shares;
  for (int run = 0; run < 5; ++run) {
    const td::trace::Trace trace = traced(training, micro_batches);
    double busy = 0;
    for (const td::trace::SpanRecord& span : trace.spans)
      if (span.category == td::trace::Category::kKernel)
        busy += td::trace::Trace::seconds(span.begin, span.end);
    shares.push_back(1 - busy / (2 * td::trace::overlap_times(trace).measured));
  }
  std::sort(shares.begin(), shares.end());
  return shares[shares.size() / 2];
}

inline void print_bubbles(Training& training, const std::string& timeline) {
  for (const std::int64_t m : {std::int64_t{1}, kMicroBatches})
    std::cout << (m == 1 ? "The whole batch" : "In micro-batches") << ": " << std::fixed
              << std::setprecision(2) << bubble(training, m)
              << " of the devices' time is idle; (p - 1) / (m + p - 1) is "
              << 1.0 / static_cast<double>(m + 1) << "\n"
              << td::trace::text_timeline(traced(training, m));
  if (!timeline.empty()) td::trace::write_svg(traced(training, kMicroBatches), timeline);
}

}  // namespace split

inline void show_split(const app::Options& options, td::Device device,
                       const std::string& timeline) {
  using namespace split;
  if (device.is_cpu()) {
    std::cout << "split: on the cpu there is no second device; take --device sim\n";
    return;
  }
  const app::CoresForTheHost cores(device);
  const std::int64_t rows =
      16 * options.batch_size;  // a micro-batch must be enough work for a device
  const Batch batch{numbers({rows, kInputs}, 3),
                    td::arange(rows).to(td::kInt64).remainder(kClasses)};
  const std::int64_t on_host = balance("cpu", device, rows);
  std::cout << "A model of " << kLayers << " layers, " << rows << " rows per step; " << on_host
            << " layers are on the cpu\n";
  const int count = td::device_count(device.type());
  const td::Device other(device.type(), (device.index() + 1) % count);
  if (count > 1) print_memory({device, other}, batch);

  std::deque<split::Training> trainings;
  const auto add = [&](std::int64_t in_front, td::Device first, td::Device second) {
    trainings.emplace_back(in_front, first, second, batch);
  };
  add(kLayers / 2, device, device);
  add(on_host, "cpu", device);
  if (count > 1) add(kLayers / 2, device, other);
  print_losses(trainings);
  print_times(trainings);
  if (count > 1)
    print_bubbles(trainings.back(), timeline);
  else
    std::cout << "There is one " << device.type()
              << " device: the model cannot be split over two\n";
}
