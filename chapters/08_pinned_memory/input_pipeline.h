// One training loop with four input pipelines. programs/feeding.cpp times and draws them, and
// programs/losses.cpp prints what they learn.
// Invariant: in all four, the model gets the same batches in the same order.
#pragma once

#include "exercises.h"
#include "td/base/parallel.h"

using Batch = td::data::Example<>;

/// A model on a device, and images in host memory.
class InputPipeline {
 public:
  static constexpr std::int64_t kPixels = 3 * 32 * 32;

  InputPipeline(td::Device device, std::int64_t batch_size, std::int64_t steps)
      : device_(device),
        batch_size_(batch_size),
        steps_(steps),
        images_(formula({batch_size * steps, kPixels}, 37, 101) / 50 - 1),
        labels_(formula({batch_size * steps}, 7, 10).to(td::kInt64)),
        model_(td::nn::Linear(kPixels, 256), td::nn::ReLU(), td::nn::Linear(256, 10)),
        optimizer_((model_->to(device), model_->parameters()), td::optim::SGDOptions(0.001)) {
    reset();
  }

  /// 0, factor, 2 * factor ... modulo `modulo`, in float32: the same numbers as in pytorch.py.
  static td::Tensor formula(const std::vector<std::int64_t>& sizes, std::int64_t factor,
                            std::int64_t modulo) {
    const td::Tensor result = td::empty(sizes);
    float* const data = result.data_ptr<float>();
    for (std::int64_t i = 0; i < result.numel(); ++i)
      data[i] = static_cast<float>(i * factor % modulo);
    return result;
  }

  /// Sets the weights to their first values and forgets the losses.
  void reset() {
    const td::NoGradGuard no_grad;
    for (td::Tensor& parameter : model_->parameters())
      parameter.copy_((formula(parameter.sizes().vec(), 37, 101) / 50 - 1) * 0.02);
    losses_.clear();
  }
  /// The losses since reset().
  const std::vector<td::Tensor>& losses() const { return losses_; }

  /// Bytes per batch.
  std::size_t batch_bytes() const {
    return static_cast<std::size_t>(batch_size_) * (kPixels * sizeof(float) + sizeof(std::int64_t));
  }

  /// Forward pass, backward pass, optimizer step. The host does not wait for the device.
  void work(const td::Tensor& images, const td::Tensor& labels) {
    optimizer_.zero_grad();
    td::Tensor loss;
    {
      const td::trace::Span span("forward");
      loss = td::nn::functional::cross_entropy(model_->forward(images), labels);
    }
    const td::trace::Span span("backward");
    loss.backward();
    optimizer_.step();
    losses_.push_back(loss.detach());
  }

  /// Batches in order, read by one worker.
  std::size_t batch_size() const { return static_cast<std::size_t>(batch_size_); }
  auto make_loader(const td::data::DataLoaderOptions& options) const {
    return td::data::make_data_loader<td::data::samplers::SequentialSampler>(
        td::data::TensorDataset(images_, labels_).map(td::data::transforms::Stack<>()), options);
  }

  /// Blocks until the device has finished.
  void finish() const { td::synchronize(device_); }

  // anchor: plain
  void plain() {
    auto loader = make_loader(td::data::DataLoaderOptions(batch_size()).workers(1));
    for (const Batch& batch : *loader) work(batch.data.to(device_), batch.target.to(device_));
  }
  // anchor end

  // anchor: pinned
  void pinned() {
    auto loader =
        make_loader(td::data::DataLoaderOptions(batch_size()).workers(1).pin_memory(true));
    for (const Batch& batch : *loader)
      work(batch.data.to(device_, batch.data.dtype(), /*non_blocking=*/true),
           batch.target.to(device_, batch.target.dtype(), /*non_blocking=*/true));
  }
  // anchor end

  // anchor: prefetched
  void prefetched() {
    auto loader =
        make_loader(td::data::DataLoaderOptions(batch_size()).workers(1).pin_memory(true));
    for (const Batch& batch : td::data::prefetch(*loader, device_)) work(batch.data, batch.target);
  }
  // anchor end

  /// Images and labels are copied as one tensor, because every copy pays the latency of the link.
  void by_hand() {
    const std::int64_t pixels = batch_size_ * kPixels;
    std::vector<Slot> slots;
    for (int i = 0; i < 2; ++i)
      slots.emplace_back(std::vector<std::int64_t>{pixels + batch_size_}, device_);
    const auto load = [&](std::int64_t i, const td::Tensor& host) {
      const std::int64_t first = i * batch_size_;
      host.narrow(0, 0, pixels).copy_(images_.narrow(0, first, batch_size_).view({-1}));
      host.narrow(0, pixels, batch_size_).copy_(labels_.narrow(0, first, batch_size_));
    };
    const auto step = [&](std::int64_t, const td::Tensor& batch) {
      work(batch.narrow(0, 0, pixels).view({batch_size_, kPixels}),
           batch.narrow(0, pixels, batch_size_).to(td::kInt64));
    };
    const int width = td::parallel_width();
    td::set_parallel_width(1);  // more threads would take cores from sim
    train_prefetched(slots, steps_, load, step, td::getStreamFromPool(device_));
    td::set_parallel_width(width);
    td::synchronize(device_);  // the slots are destroyed here
  }

  /// Seconds of device work for one batch that is already on the device.
  double work_seconds() {
    const td::Tensor x = images_.narrow(0, 0, batch_size_).to(device_);
    const td::Tensor y = labels_.narrow(0, 0, batch_size_).to(device_);
    std::vector<double> seconds;
    for (int run = 0; run < 8; ++run) {
      td::synchronize(device_);
      const auto start = std::chrono::steady_clock::now();
      work(x, y);
      td::synchronize(device_);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      if (run > 2) seconds.push_back(taken.count());
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  }

 private:
  td::Device device_;
  std::int64_t batch_size_, steps_;
  td::Tensor images_, labels_;
  td::nn::Sequential model_;
  td::optim::SGD optimizer_;
  std::vector<td::Tensor> losses_;
};

/// A loop of a pipeline, and its name.
struct NamedLoop {
  const char* name;
  void (InputPipeline::*run)();
};
inline constexpr NamedLoop kLoops[] = {{"plain", &InputPipeline::plain},
                                       {"pinned", &InputPipeline::pinned},
                                       {"prefetched", &InputPipeline::prefetched},
                                       {"by hand", &InputPipeline::by_hand}};
