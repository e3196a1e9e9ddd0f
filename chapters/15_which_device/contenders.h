// What the advisor compares: one network on every device of this machine. timings.h times them.
// Invariant: all of them run the same step on the same batches.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "app/app.h"
#include "exercises.h"
#include "td/base/parallel.h"
#include "td/device/record.h"

namespace advising {

/// The options of the programs advise, predictions and imagine.
struct AdvisorOptions {
  std::int64_t width = 256;     ///< Of every hidden layer, and of the inputs.
  std::int64_t depth = 3;       ///< Hidden layers.
  std::int64_t largest = 1024;  ///< The largest batch.
  std::int64_t runs = 25;       ///< How often each size is timed, if there is time.
  bool inference = false;       ///< Forward without a graph, instead of a training step.
  bool bfloat16 = false;        ///< Every device once more, with products in bfloat16.

  void add_to(app::Command& command) {
    command.takes({"seed"});
    command.option("--width", width, "of the network's layers");
    command.option("--depth", depth, "hidden layers of the network");
    command.option("--largest", largest, "the largest batch");
    command.option("--runs", runs, "how often each batch is timed, at most");
    command.flag("--inference", inference, "inference, not a training step");
    command.flag("--bfloat16", bfloat16, "every device in bfloat16, too");
  }
};

/// Minimum seconds of one timing: shorter ones are mostly clock error and noise.
constexpr double kBurst = 2e-3;

/// What one step needs: counts, no times.
struct StepWork {
  double launches = 0, bytes = 0, multiply_adds = 0;
};

/// The network of `--width` and `--depth` on one device, and its batches on the host.
class Contender {
 public:
  Contender(std::string name, const AdvisorOptions& settings, td::Device device, int threads,
            td::optional<td::ScalarType> products = td::nullopt)
      : name_(std::move(name)),
        settings_(settings),
        device_(device),
        threads_(threads),
        products_(products),
        model_(layers(settings)),
        optimizer_((model_->to(device), model_->parameters()), td::optim::SGDOptions(0.01)) {}

  const std::string& name() const { return name_; }
  td::Device device() const { return device_; }

  /// Copies the batch to the device and runs the network. The copy blocks the host until the device
  /// has finished the step before.
  void step(const Batch& batch) {
    const td::Tensor inputs = batch.data.to(device_);
    const td::amp::AutocastGuard autocast(device_.type(), products_, products_.has_value());
    if (settings_.inference) {
      const td::NoGradGuard no_grad;
      model_->forward(inputs);
      return;
    }
    optimizer_.zero_grad();
    const td::Tensor outputs = model_->forward(inputs);
    td::nn::functional::cross_entropy(outputs, batch.target.to(device_)).backward();
    optimizer_.step();
  }

  /// Returns the seconds of one step.
  double seconds(const Batch& batch) {
    return burst([&] { step(batch); });
  }
  /// Returns the seconds of the copies of one step.
  double copy_seconds(const Batch& batch) {
    return burst([&] {
      batch.data.to(device_);
      if (!settings_.inference) batch.target.to(device_);
    });
  }
  /// Returns whether its copies cost something and are not those of another contender.
  bool copies() const { return !device_.is_cpu() && !products_; }

  /// Returns the mean of as many calls as fill a burst, with one wait after them. One call before
  /// them is not counted: it loads the weights into the caches and wakes the threads.
  double burst(const std::function<void()>& work) {
    td::set_parallel_width(threads_);
    work();
    td::synchronize(device_);
    const auto start = std::chrono::steady_clock::now();
    std::chrono::duration<double> taken{};
    int calls = 0;
    do {
      work();
      taken = std::chrono::steady_clock::now() - start;
    } while (++calls < 256 && taken.count() < kBurst);
    td::synchronize(device_);
    taken = std::chrono::steady_clock::now() - start;
    return taken.count() / calls;
  }

  /// Counts one step: an observer counts launches and the bytes that they read and write. The
  /// multiply-adds follow from the sizes of the layers.
  StepWork work(const Batch& batch) {
    StepWork counted;
    {
      const td::RecordObserver counting([&](const td::Record& record, td::Device) {
        ++counted.launches;
        for (int i = 0; i < record.reads + record.writes; ++i)
          counted.bytes += static_cast<double>(record.extents[i].bytes);
      });
      step(batch);
    }
    const auto width = static_cast<double>(settings_.width);
    const double forward = static_cast<double>(settings_.depth) * width * width + width * 10;
    // Backward computes a gradient of the weights and one of the inputs; the batch itself
    // needs none.
    const double each = settings_.inference ? forward : 3 * forward - width * width;
    counted.multiply_adds = static_cast<double>(batch.data.size(0)) * each;
    return counted;
  }

  std::int64_t parameters() const {
    std::int64_t count = 0;
    for (const td::Tensor& p : model_->parameters()) count += p.numel();
    return count;
  }

 private:
  static td::nn::Sequential layers(const AdvisorOptions& settings) {
    td::nn::Sequential model;
    for (std::int64_t i = 0; i < settings.depth; ++i) {
      model->push_back(td::nn::Linear(settings.width, settings.width));
      model->push_back(td::nn::ReLU());
    }
    model->push_back(td::nn::Linear(settings.width, 10));
    return model;
  }

  std::string name_;
  AdvisorOptions settings_;
  td::Device device_;
  int threads_;
  td::optional<td::ScalarType> products_;
  td::nn::Sequential model_;
  td::optim::SGD optimizer_;
};

/// The cpu with one thread and with all, and every accelerator; with `--device` only that one.
inline std::vector<std::unique_ptr<Contender>> contenders(const app::Options& options,
                                                          const AdvisorOptions& settings,
                                                          int threads) {
  std::vector<std::unique_ptr<Contender>> all;
  const auto add = [&](const std::string& name, td::Device device, int width) {
    all.push_back(std::make_unique<Contender>(name, settings, device, width));
    if (settings.bfloat16)
      all.push_back(
          std::make_unique<Contender>(name + " bf16", settings, device, width, td::kBFloat16));
  };
  add("cpu, 1 thread", td::kCPU, 1);
  if (threads > 1)
    add(std::string("cpu, ").append(std::to_string(threads)).append(" threads"), td::kCPU, threads);
  std::vector<td::Device> others;
  for (const td::DeviceType type : {td::kSIM, td::kCUDA})
    if (td::device_count(type) > 0) others.emplace_back(type, 0);
  if (options.device != "auto") others = {td::check_device(td::Device(options.device))};
  for (const td::Device device : others)
    if (!device.is_cpu()) add(device.str(), device, threads);
  return all;
}

}  // namespace advising
