// expect: has a gradient after step(); it is from the second backward()
// The refused backward() leaves its gradients, to which the next backward() adds.
#include "exercises.h"

HostAdam::HostAdam(const td::TensorList& parameters, const td::optim::AdamOptions& options,
                   std::size_t bucket_bytes)
    : device_(parameters.at(0).device()),
      to_host_(td::getStreamFromPool(device_)),
      to_device_(td::getStreamFromPool(device_)) {
  for (const td::TensorList& together : split_into_buckets(parameters, bucket_bytes)) {
    buckets_.push_back(std::make_unique<Bucket>(device_.type()));
    Bucket& bucket = *buckets_.back();
    bucket.parameters = together;
    for (std::size_t i = 0; i < together.size(); ++i) {
      const td::Tensor master = together[i].detach().to("cpu", td::kFloat32).pin_memory();
      bucket.masters.push_back(master);
      bucket.gradients.push_back(td::empty_like(master, master.options().pinned_memory(true)));
      bucket.hooks.push_back(together[i].register_post_accumulate_grad_hook(
          [this, &bucket, i](const td::Tensor&) { send_gradient(bucket, i); }));
    }
    bucket.missing = together.size();
    bucket.adam = std::make_unique<td::optim::Adam>(bucket.masters, options);
  }
}

HostAdam::~HostAdam() {
  for (const auto& bucket : buckets_)
    for (std::size_t i = 0; i < bucket->hooks.size(); ++i)
      bucket->parameters[i].remove_hook(bucket->hooks[i]);
}

void HostAdam::send_gradient(Bucket& bucket, std::size_t index) {
  TD_CHECK(td::Error, !bucket.masters[index].grad().defined(),
           "HostAdam: a second backward() before step() would overwrite the first gradients. Call "
           "step() after each backward()");
  td::Tensor& gradient = bucket.parameters[index].mutable_grad();
  to_host_.wait(td::getCurrentStream(device_));  // it computes the gradient
  const td::NoGradGuard no_grad;
  const td::StreamGuard on_to_host(to_host_);
  bucket.gradients[index].copy_(gradient, /*non_blocking=*/true);
  gradient.record_stream(to_host_);
  gradient = td::Tensor();
  bucket.masters[index].mutable_grad() = bucket.gradients[index];
  if (--bucket.missing == 0) bucket.arrived.record(to_host_);
}

void HostAdam::step() {
  const td::NoGradGuard no_grad;
  for (const auto& bucket : buckets_) {
    if (bucket->missing > 0) bucket->arrived.record(to_host_);  // some have no gradient
    bucket->arrived.synchronize();
    {
      const td::trace::Span span("adam");
      bucket->adam->step();
    }
    const td::StreamGuard on_to_device(to_device_);
    for (std::size_t i = 0; i < bucket->masters.size(); ++i) {
      if (!bucket->masters[i].grad().defined()) continue;
      bucket->parameters[i].copy_(bucket->masters[i], /*non_blocking=*/true);
      bucket->masters[i].mutable_grad() = td::Tensor();
    }
    bucket->missing = bucket->masters.size();
  }
  td::getCurrentStream(device_).wait(to_device_);  // the next forward pass reads the parameters
}
