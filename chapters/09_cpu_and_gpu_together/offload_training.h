// A training with Adam on the device, and two with Adam and its state on the host.
// programs/offload.cpp times them, and programs/offload_memory.cpp shows their memory.
// Invariant: all three begin with the same weights and see the same batch.
#pragma once

#include <algorithm>

#include "app/app.h"
#include "exercises.h"
#include "numbers.h"
#include "trace/trace.h"

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
      parameter.copy_(numbers(parameter.sizes(), 0.08));
    x = numbers({rows, kWidth}, 3).to(device);
    y = numbers({rows, kWidth}, 2).to(device);
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

/// Returns the device of the options, which is not the cpu.
inline td::Device choose_device(const app::Options& options) {
  const td::Device device = app::choose_device(options);
  TD_CHECK(app::OptionError, !device.is_cpu(),
           "on the cpu, the optimizer is on the host anyway; use --device sim");
  return device;
}

/// Returns the rows per step.
inline std::int64_t rows_of(const app::Options& options) {
  return std::max<std::int64_t>(1, options.batch_size / 4);
}

}  // namespace offload
