// Adam whose state lies on the host (ZeRO-Offload; Ren et al., 2021), for models whose optimizer
// does not fit beside them on the device. offload.h shows it.
// Invariant: at every moment a gradient is in one place. What a bucket waits for is its own
// gradients, so that its copies and its step go on while the backward is at work on the next one.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "td/td.h"

/// Adam over parameters of one device that keeps a float32 copy of them, their gradients and the
/// two averages in the host's memory. On the device stay the parameters, of whatever floating type.
/// One backward() a step(); the parameters' grad() is undefined behind it.
class HostAdam {
 public:
  /// @param bucket_bytes parameters that travel together, at least: small ones share one wait.
  HostAdam(const td::TensorList& parameters, const td::optim::AdamOptions& options,
           std::size_t bucket_bytes = std::size_t{4} << 20)
      : device_(parameters.at(0).device()),
        down_(td::getStreamFromPool(device_)),
        up_(td::getStreamFromPool(device_)) {
    // Gradients come in the opposite order of the layers.
    for (auto p = parameters.rbegin(); p != parameters.rend(); ++p) {
      if (buckets_.empty() || buckets_.back()->bytes() >= bucket_bytes)
        buckets_.push_back(std::make_unique<Bucket>(device_.type()));
      add(*buckets_.back(), *p);
    }
    for (auto& bucket : buckets_)
      bucket->adam = std::make_unique<td::optim::Adam>(bucket->masters, options);
  }
  ~HostAdam() {
    for (auto& bucket : buckets_)
      for (std::size_t i = 0; i < bucket->parameters.size(); ++i)
        bucket->parameters[i].remove_hook(bucket->hooks[i]);
  }
  HostAdam(const HostAdam&) = delete;
  HostAdam& operator=(const HostAdam&) = delete;

  // anchor: step
  /// Bucket by bucket, as they come: waits for the gradients, steps, sends the parameters back.
  /// Meanwhile the device computes the next bucket's gradients and copies both ways.
  void step() {
    const td::NoGradGuard no_grad;
    for (auto& bucket : buckets_) {
      if (bucket->missing > 0) bucket->arrived.record(down_);  // some were not used
      bucket->arrived.synchronize();
      {
        const td::trace::Span span("adam");
        bucket->adam->step();
      }
      const td::StreamGuard on_up(up_);
      for (std::size_t i = 0; i < bucket->masters.size(); ++i) {
        if (!bucket->masters[i].grad().defined()) continue;
        bucket->parameters[i].copy_(bucket->masters[i], /*non_blocking=*/true);
        bucket->masters[i].mutable_grad() = td::Tensor();
      }
      bucket->missing = bucket->masters.size();
    }
    td::getCurrentStream(device_).wait(up_);  // the next forward reads the parameters
  }
  // anchor end

 private:
  struct Bucket {
    explicit Bucket(td::DeviceType type) : arrived(type) {}
    std::size_t bytes() const {
      std::size_t sum = 0;
      for (const td::Tensor& parameter : parameters) sum += parameter.nbytes();
      return sum;
    }
    td::TensorList parameters;          // on the device
    td::TensorList masters, gradients;  // page-locked, float32
    std::vector<unsigned> hooks;
    std::size_t missing = 0;  // gradients that have not come
    td::Event arrived;        // behind the copy of the last one
    std::unique_ptr<td::optim::Adam> adam;
  };

  void add(Bucket& bucket, const td::Tensor& parameter) {
    const std::size_t place = bucket.parameters.size();
    const td::Tensor host = parameter.detach().to("cpu", td::kFloat32).pin_memory();
    bucket.parameters.push_back(parameter);
    bucket.masters.push_back(host);
    bucket.gradients.push_back(td::empty_like(host, host.options().pinned_memory(true)));
    bucket.hooks.push_back(parameter.register_post_accumulate_grad_hook(
        [this, &bucket, place](const td::Tensor&) { take(bucket, place); }));
    ++bucket.missing;
  }

  // anchor: take
  /// A gradient is finished: starts its copy to the host, and frees it on the device.
  void take(Bucket& bucket, std::size_t place) {
    TD_CHECK(td::Error, !bucket.masters[place].grad().defined(),
             "HostAdam: a second backward() before step(); its gradients would be written over the "
             "first ones. Call step() behind each backward()");
    td::Tensor& gradient = bucket.parameters[place].mutable_grad();
    down_.wait(td::getCurrentStream(device_));  // which made it, and has read the parameter
    const td::StreamGuard on_down(down_);
    bucket.gradients[place].copy_(gradient, /*non_blocking=*/true);
    gradient.record_stream(down_);
    gradient = td::Tensor();
    bucket.masters[place].mutable_grad() = bucket.gradients[place];
    if (--bucket.missing == 0) bucket.arrived.record(down_);
  }
  // anchor end

  td::Device device_;
  td::Stream down_, up_;
  std::vector<std::unique_ptr<Bucket>> buckets_;
};
