// Three stages at work at the same time: the host prepares, the link copies, the device computes.
// main.cpp shows it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <optional>
#include <thread>

#include "app/app.h"
#include "exercises.h"
#include "td/backends/sim/sim.h"
#include "td/base/parallel.h"
#include "td/data/augmentation.h"
#include "td/data/collate.h"
#include "td/trace/picture.h"
#include "td/trace/trace.h"

// anchor: augment
/// Pictures that are cut, mirrored and normalised anew as they are asked for. Each has random
/// numbers of its own, so that it is the same picture whichever thread prepares it.
class Augmented : public td::data::datasets::Dataset<Augmented> {
 public:
  Augmented(td::data::datasets::ImageDataset pictures, std::uint64_t seed)
      : pictures_(std::move(pictures)), seed_(seed) {}

  Batch get(std::size_t index) override {
    td::Generator numbers(seed_ + index);
    const td::GeneratorGuard guard(numbers);
    return normalize_.apply(mirror_.apply(cut_.apply(pictures_.get(index))));
  }
  td::optional<std::size_t> size() const override { return pictures_.size(); }

 private:
  td::data::datasets::ImageDataset pictures_;
  std::uint64_t seed_;
  td::data::transforms::RandomCrop<> cut_{32, 4};
  td::data::transforms::RandomHorizontalFlip<> mirror_;
  td::data::transforms::Normalize<> normalize_{{0.49, 0.48, 0.45}, {0.25, 0.24, 0.26}};
};
// anchor end

/// Seconds that `work` takes.
template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return taken.count();
}

/// A small network that learns from augmented pictures, step by step.
class Training {
 public:
  static constexpr std::int64_t kPixels = 3 * 32 * 32;

  Training(td::Device device, std::int64_t batch_size, std::int64_t steps, std::uint64_t seed)
      : device_(device),
        batch_size_(static_cast<std::size_t>(batch_size)),
        steps_(steps),
        pictures_(Augmented(td::data::draw_shapes10(batch_size_ * static_cast<std::size_t>(steps),
                                                    seed, /*train=*/true),
                            seed)
                      .map(td::data::transforms::Stack<>())) {
    restart(seed);
  }

  /// The network as it was before the first step.
  void restart(std::uint64_t seed) {
    td::manual_seed(seed);
    model_ = td::nn::Sequential(td::nn::Flatten(), td::nn::Linear(kPixels, 384), td::nn::ReLU(),
                                td::nn::Linear(384, 10));
    model_->to(device_);
    optimizer_.emplace(model_->parameters(), td::optim::SGDOptions(0.01));
    losses_.clear();
  }

  std::int64_t steps() const { return steps_; }
  std::size_t batch_bytes() const {
    return batch_size_ * (kPixels * sizeof(float) + sizeof(std::int64_t));
  }
  /// The loss of every step since the start.
  std::vector<float> losses() const {
    const td::Tensor all = td::stack(losses_).to(td::kCPU);
    return {all.data_ptr<float>(), all.data_ptr<float>() + all.numel()};
  }

  // anchor: stages
  /// First stage, on the host: batch `index`, in page-locked memory.
  Batch prepare(std::int64_t index) {
    const td::trace::Span span("prepare");
    const td::data::PinnedCollation in_pinned_memory(!device_.is_cpu());
    std::vector<std::size_t> places(batch_size_);
    std::iota(places.begin(), places.end(), static_cast<std::size_t>(index) * batch_size_);
    return pictures_.get_batch(places);
  }

  /// Second stage, over the link.
  Batch copy(const Batch& batch) const {
    return {batch.data.to(device_, /*non_blocking=*/true),
            batch.target.to(device_, /*non_blocking=*/true)};
  }

  /// Third stage, on the device.
  void work(const Batch& batch) {
    optimizer_->zero_grad();
    td::Tensor loss;
    {
      const td::trace::Span span("forward");
      loss = td::nn::functional::cross_entropy(model_->forward(batch.data), batch.target);
    }
    const td::trace::Span span("backward");
    loss.backward();
    optimizer_->step();
    losses_.push_back(loss.detach());
  }
  // anchor end

  // anchor: plain
  void plain() {
    for (std::int64_t i = 0; i < steps_; ++i) {
      work(copy(prepare(i)));
      td::synchronize(device_);
    }
  }
  // anchor end

  // anchor: pipelined
  void pipelined() {
    run_pipeline(
        steps_, [this](std::int64_t i) { return prepare(i); },
        [this](std::int64_t, const Batch& batch) { work(batch); }, device_, 2);
  }
  // anchor end

  // anchor: library
  void library(std::size_t workers) {
    auto loader = td::data::make_data_loader<td::data::samplers::SequentialSampler>(
        pictures_,
        td::data::DataLoaderOptions(batch_size_).workers(workers).pin_memory(!device_.is_cpu()));
    for (const Batch& batch : td::data::prefetch(*loader, device_)) work(batch);
    td::synchronize(device_);
  }
  // anchor end

 private:
  td::Device device_;
  std::size_t batch_size_;
  std::int64_t steps_;
  td::data::datasets::MapDataset<Augmented, td::data::transforms::Stack<>> pictures_;
  td::nn::Sequential model_{nullptr};
  std::optional<td::optim::SGD> optimizer_;
  std::vector<td::Tensor> losses_;
};

inline void show_pipeline(const app::Options& options, td::Device device) {
  Training t(device, options.batch_size, 24, options.seed);
  for (int i = 0; i < 3; ++i) {
    double p = seconds_of([&] {
      std::thread th([&] {
        td::set_parallel_width(1);
        for (int j = 0; j < 24; ++j) t.prepare(j);
      });
      th.join();
    });
    Batch b = t.prepare(0);
    double c = seconds_of([&] {
      for (int j = 0; j < 24; ++j) t.copy(b);
      td::synchronize(device);
    });
    Batch d = t.copy(b);
    double w = seconds_of([&] {
      for (int j = 0; j < 24; ++j) t.work(d);
      td::synchronize(device);
    });
    t.restart(1);
    double pl = seconds_of([&] { t.plain(); });
    t.restart(1);
    double pi = seconds_of([&] { t.pipelined(); });
    t.restart(1);
    double li = seconds_of([&] { t.library(1); });
    for (double x : {p, c, w, pl, pi, li}) std::cout << x / 24 * 1000 << " ";
    std::cout << std::endl;
  }
}
