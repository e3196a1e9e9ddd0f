// One model on two devices, with its optimizer and one batch. programs/split.cpp,
// programs/split_memory.cpp and programs/bubble.cpp train it.
// Invariant: wherever the layers are, they begin with the same weights and see the same batch.
#pragma once

#include <string>
#include <vector>

#include "app/app.h"
#include "app/interleaved.h"
#include "exercises.h"
#include "numbers.h"

namespace split {

constexpr std::int64_t kLayers = 8, kWidth = 256, kClasses = 10, kMicroBatches = 4;
/// Rows per step are this many times --batch-size: a micro-batch must be enough work for a device.
constexpr std::int64_t kRowsPerSample = 16;
/// The first layer computes no gradient of its input, which saves a third of a layer's work. Its
/// input is therefore 1.5 times as wide: then half of the layers are half of the work.
constexpr std::int64_t kInputs = kWidth * 3 / 2;

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

/// The batch of all these programs.
inline Batch formula_batch(std::int64_t rows) {
  return {numbers({rows, kInputs}, 3), td::arange(rows).to(td::kInt64).remainder(kClasses)};
}

/// Returns the next device of the same kind.
inline td::Device next(td::Device device) {
  const int count = td::device_count(device.type());
  return td::Device(device.type(), static_cast<int>((device.index() + 1) % count));
}

/// Returns the device of the options and the next one of its kind.
inline std::vector<td::Device> two_devices(const app::Options& options) {
  if (options.device == "auto") {
    std::vector<td::Device> all = app::choose_accelerators(2);
    all.resize(2, all[0]);
    return all;
  }
  const td::Device device = app::choose_device(options);
  TD_CHECK(app::OptionError, !device.is_cpu(),
           "there is one cpu, and this program needs two devices; use --device sim");
  if (td::device_count(device.type()) == 1)
    throw app::CannotRunHere("this program needs two devices; use --device sim");
  return {device, next(device)};
}

}  // namespace split
