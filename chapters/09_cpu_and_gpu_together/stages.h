// A training whose batches are prepared by the host: its three stages, and four variants of running
// them. stage_times.h times them, and programs/pipeline.cpp draws one.
// Invariant: the same batches give bitwise identical losses in all variants.
#pragma once

#include <pthread.h>
#include <unistd.h>

#include <numeric>
#include <optional>

#include "data/transforms.h"
#include "exercises.h"

namespace pipeline {

/// Images that are cropped, flipped and normalized when they are loaded. Each epoch sees other
/// crops. The random numbers depend on the index alone: example 17 is the same in every thread.
class Augmented : public td::data::datasets::Dataset<Augmented> {
 public:
  Augmented(td::data::datasets::ImageDataset images, std::size_t count, std::uint64_t seed)
      : images_(std::move(images)), count_(count), seed_(seed) {}

  Batch get(std::size_t index) override {
    td::Generator numbers(seed_ + index);
    const td::GeneratorGuard guard(numbers);
    return normalize_.apply(flip_.apply(crop_.apply(images_.get(index % *images_.size()))));
  }
  td::optional<std::size_t> size() const override { return count_; }

 private:
  td::data::datasets::ImageDataset images_;
  std::size_t count_;
  std::uint64_t seed_;
  td::data::transforms::RandomCrop<> crop_{32, 4};
  td::data::transforms::RandomHorizontalFlip<> flip_;
  td::data::transforms::Normalize<> normalize_{{0.49, 0.48, 0.45}, {0.25, 0.24, 0.26}};
};

/// What is trained, and for how many steps.
struct Plan {
  td::Device device;
  std::size_t batch_size, steps;
  std::int64_t hidden;  ///< Width of the network: decides how long the device works.
  std::uint64_t seed;
};

/// A small network that learns from augmented images.
class Training {
 public:
  static constexpr std::int64_t kPixels = 3 * 32 * 32;

  explicit Training(const Plan& plan)
      : plan_(plan),
        examples_(Augmented(td::data::draw_shapes10(kImages, plan.seed, /*train=*/true),
                            plan.batch_size * plan.steps, plan.seed)
                      .map(td::data::transforms::Stack<>())) {
    restart();
  }

  const Plan& plan() const { return plan_; }
  std::size_t batch_bytes() const {
    return plan_.batch_size * (kPixels * sizeof(float) + sizeof(std::int64_t));
  }

  /// Resets the network to its state before the first step.
  void restart() {
    td::manual_seed(plan_.seed);
    model_ = td::nn::Sequential(td::nn::Flatten(), td::nn::Linear(kPixels, plan_.hidden),
                                td::nn::ReLU(), td::nn::Linear(plan_.hidden, 10));
    model_->to(plan_.device);
    optimizer_.emplace(model_->parameters(), td::optim::SGDOptions(0.01));
    losses_.clear();
  }
  /// Returns the loss of every step since then. Blocks until the device has finished.
  td::Tensor losses() const { return td::stack(losses_).to(td::kCPU); }

  /// First stage, on the host: makes batch `index`, in pinned memory for a device.
  Batch prepare(std::int64_t index) {
    const td::trace::Span span("prepare");
    const td::data::PinnedCollation in_pinned_memory(!plan_.device.is_cpu());
    std::vector<std::size_t> indices(plan_.batch_size);
    std::iota(indices.begin(), indices.end(), static_cast<std::size_t>(index) * plan_.batch_size);
    return examples_.get_batch(indices);
  }

  /// Second stage, over the link: enqueues the copy.
  Batch copy(const Batch& batch) const {
    return {batch.data.to(plan_.device, /*non_blocking=*/true),
            batch.target.to(plan_.device, /*non_blocking=*/true)};
  }

  /// Third stage, on the device: enqueues a training step and does not wait.
  void work(const Batch& batch) {
    const td::trace::Span span("work");
    optimizer_->zero_grad();
    const td::Tensor loss =
        td::nn::functional::cross_entropy(model_->forward(batch.data), batch.target);
    loss.backward();
    optimizer_->step();
    losses_.push_back(loss.detach());
  }

  void plain() {
    for (std::int64_t i = 0; i < steps(); ++i) {
      work(copy(prepare(i)));
      losses_.back().item<float>();  // blocks until the device has finished
    }
  }

  void unread() {
    for (std::int64_t i = 0; i < steps(); ++i) work(copy(prepare(i)));
    td::synchronize(plan_.device);
  }

  void pipelined() {
    run_pipeline(
        steps(),
        [this](std::int64_t index) {
          // The name of the thread in traces. On the caller's thread it would name the process.
          if (getpid() != gettid()) pthread_setname_np(pthread_self(), "prepare");
          return prepare(index);
        },
        [this](std::int64_t, const Batch& batch) { work(batch); }, plan_.device, /*ahead=*/2);
  }

  void library(std::size_t workers) {
    auto loader = td::data::make_data_loader<td::data::samplers::SequentialSampler>(
        examples_, td::data::DataLoaderOptions(plan_.batch_size)
                       .workers(workers)
                       .pin_memory(!plan_.device.is_cpu()));
    for (const Batch& batch : td::data::prefetch(*loader, plan_.device)) work(batch);
    td::synchronize(plan_.device);
  }

 private:
  static constexpr std::size_t kImages = 1024;
  std::int64_t steps() const { return static_cast<std::int64_t>(plan_.steps); }

  Plan plan_;
  td::data::datasets::MapDataset<Augmented, td::data::transforms::Stack<>> examples_;
  td::nn::Sequential model_{nullptr};
  std::optional<td::optim::SGD> optimizer_;
  std::vector<td::Tensor> losses_;
};

}  // namespace pipeline
