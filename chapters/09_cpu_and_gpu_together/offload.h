// Training with the optimizer and its state on the host: how much device memory it saves, and what
// a step costs. main.cpp shows it. Invariant: all three trainings begin with the same weights and
// see the same batch.
#pragma once

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <string>

#include "app/app.h"
#include "app/interleaved.h"
#include "exercises.h"
#include "split.h"

namespace offload {

constexpr std::int64_t kWidth = 1024, kLayers = 4;
inline const td::optim::AdamOptions kAdam(1e-4);

/// A model on a device with its batch. The derived classes update the parameters.
struct Training {
  Training(td::Device on, std::int64_t rows) : device(on) {
    for (std::int64_t i = 0; i < kLayers; ++i) {
      model->push_back(td::nn::Linear(kWidth, kWidth));
      if (i + 1 < kLayers) model->push_back(td::nn::ReLU());
    }
    model->to(device);
    const td::NoGradGuard no_grad;
    for (const td::Tensor& parameter : model->parameters())
      parameter.copy_(split::numbers(parameter.sizes(), 0.08));
    x = split::numbers({rows, kWidth}, 3).to(device);
    y = split::numbers({rows, kWidth}, 2).to(device);
  }
  td::Tensor backward() {
    td::Tensor loss;
    {
      const td::trace::Span span("forward");
      loss = td::mse_loss(model->forward(x), y);
    }
    const td::trace::Span span("backward");
    loss.backward();
    return loss.detach();
  }

  td::Device device;
  td::nn::Sequential model;
  td::Tensor x, y;
};

/// The optimizer on the device, as usual.
struct OnDevice : Training {
  OnDevice(td::Device on, std::int64_t rows)
      : Training(on, rows), adam(model->parameters(), kAdam) {}
  td::Tensor step() {
    const td::Tensor loss = backward();
    adam.step();
    adam.zero_grad(/*set_to_none=*/true);
    return loss;
  }
  td::optim::Adam adam;
};

/// The optimizer on the host, one stage after another.
struct OneAfterAnother : Training {
  OneAfterAnother(td::Device on, std::int64_t rows)
      : Training(on, rows), masters(on_host(model->parameters())), adam(masters, kAdam) {}
  static td::TensorList on_host(td::TensorList parameters) {
    for (td::Tensor& parameter : parameters) parameter = parameter.detach().cpu();
    return parameters;
  }
  td::Tensor step() {
    const td::Tensor loss = backward();
    const td::TensorList parameters = model->parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      masters[i].mutable_grad() = parameters[i].grad().cpu();  // blocks
      parameters[i].mutable_grad() = td::Tensor();
    }
    adam.step();
    const td::NoGradGuard no_grad;
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].copy_(masters[i]);  // blocks
    return loss;
  }
  td::TensorList masters;
  td::optim::Adam adam;
};

/// The optimizer on the host, all stages at the same time.
struct Overlapped : Training {
  Overlapped(td::Device on, std::int64_t rows)
      : Training(on, rows), adam(model->parameters(), kAdam) {}
  td::Tensor step() {
    const td::Tensor loss = backward();
    adam.step();
    return loss;
  }
  HostAdam adam;
};

/// Prints the memory of the device between two steps and its peak, in 10^6 bytes.
template <class T>
void print_memory(const char* name, td::Device device, std::int64_t rows) {
  T training(device, rows);
  const auto megabytes = [](std::size_t bytes) { return static_cast<double>(bytes) / 1e6; };
  training.step();
  td::synchronize(device);
  td::allocator(device).reset_peak();
  training.step();
  td::synchronize(device);
  const td::MemoryStats stats = td::memory_stats(device);
  std::cout << name << std::fixed << std::setprecision(1) << std::setw(12)
            << megabytes(stats.allocated) << std::setw(15) << megabytes(stats.peak_allocated)
            << '\n';
}

/// @throws Error when they differ.
inline void print_losses(OnDevice& on_device, OneAfterAnother& sequential, Overlapped& overlapped) {
  constexpr int kSteps = 5;
  double furthest = 0, last = 0;
  for (int step = 0; step < kSteps; ++step) {
    last = on_device.step().item<double>();
    for (const td::Tensor& loss : {sequential.step(), overlapped.step()})
      furthest = std::max(furthest, std::abs(loss.item<double>() - last));
  }
  TD_CHECK(td::Error, furthest < 1e-3, "offload: a loss is ", furthest,
           " away from that of Adam on the device; wherever it runs, it should be the same");
  std::cout << "After " << kSteps << " steps the loss is " << std::fixed << std::setprecision(4)
            << last << "; with Adam on the host it differed by at most " << std::setprecision(6)
            << std::max(furthest, 1e-6) << ".\n";
}

/// The seconds that each stage takes.
struct Stages {
  double device = 0, down = 0, adam = 0, up = 0;
  double sum() const { return device + down + adam + up; }
  double longest() const { return std::max({device, down, adam, up}); }
};

inline Stages stages_of(const td::trace::Trace& trace) {
  Stages stages;
  for (const td::trace::SpanRecord& span : trace.spans) {
    const double seconds = td::trace::Trace::seconds(span.begin, span.end);
    const std::string name = span.name;
    if (span.category == td::trace::Category::kKernel) stages.device += seconds;
    if (span.category == td::trace::Category::kUser && name == "adam") stages.adam += seconds;
    if (span.category != td::trace::Category::kCopy) continue;
    if (name.find("DtoH") != name.npos) stages.down += seconds;
    if (name.find("HtoD") != name.npos) stages.up += seconds;
  }
  return stages;
}

template <class T>
app::Variant variant(T& training) {
  return [&training] {
    training.step();
    td::synchronize(training.device);
  };
}

inline void print_times(OnDevice& on_device, OneAfterAnother& sequential, Overlapped& overlapped) {
  const std::vector<double> seconds = app::median_seconds_interleaved(
      {variant(on_device), variant(sequential), variant(overlapped)}, 11);
  td::trace::start();
  overlapped.step();
  const td::trace::Trace trace = td::trace::stop();
  const Stages stages = stages_of(trace);
  const auto line = [](const char* name, double value) {
    std::cout << std::setw(34) << name << std::fixed << std::setprecision(2) << std::setw(10)
              << 1e3 * value << '\n';
  };
  std::cout << "milliseconds per step\n";
  line("Adam on the device", seconds[0]);
  line("on the host, one after another", seconds[1]);
  line("on the host, overlapped", seconds[2]);
  std::cout << "milliseconds of its stages\n";
  line("forward and backward", stages.device);
  line("gradients to the host", stages.down);
  line("Adam on the host", stages.adam);
  line("parameters to the device", stages.up);
  line("their sum", stages.sum());
  line("the longest", stages.longest());
  std::cout << td::trace::text_timeline(trace, td::trace::PictureOptions().host(true));
}

}  // namespace offload

inline void show_offload(const app::Options& options, td::Device device) {
  using namespace offload;
  if (device.is_cpu()) {
    std::cout << "offload: on the cpu the optimizer is on the host anyway; take --device sim\n";
    return;
  }
  const app::CoresForTheHost cores(device);
  const std::int64_t rows = std::max<std::int64_t>(1, options.batch_size / 4);
  std::cout << "A model of " << std::fixed << std::setprecision(4)
            << kLayers * (kWidth + 1) * kWidth / 1000000.0 << " million parameters, " << rows
            << " rows per step\n"
            << "megabytes on " << device << "     between steps           peak\n";
  print_memory<OnDevice>("Adam on the device", device, rows);
  print_memory<Overlapped>("Adam on the host  ", device, rows);
  OnDevice on_device(device, rows);
  OneAfterAnother sequential(device, rows);
  Overlapped overlapped(device, rows);
  print_losses(on_device, sequential, overlapped);
  print_times(on_device, sequential, overlapped);
}
