#include "exercises.h"

// answer: copies_every_parameter
// expect: bytes were copied to the device
// Copies parameters back that were not updated.
#ifdef copies_every_parameter
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
  to_host_.wait(td::getCurrentStream(device_));  // which computes the gradient
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
      bucket->parameters[i].copy_(bucket->masters[i], /*non_blocking=*/true);
      bucket->masters[i].mutable_grad() = td::Tensor();
    }
    bucket->missing = bucket->masters.size();
  }
  td::getCurrentStream(device_).wait(to_device_);  // the next forward pass reads the parameters
}
#endif  // copies_every_parameter

// answer: does_not_wait_for_the_gradient
// expect: race on sim:0
// Copies a gradient that the device may still compute.
#ifdef does_not_wait_for_the_gradient
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
#endif  // does_not_wait_for_the_gradient

// answer: does_not_wait_for_the_parameters
// expect: race on sim:0
// The next forward pass may read the old parameters.
#ifdef does_not_wait_for_the_parameters
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
  to_host_.wait(td::getCurrentStream(device_));  // which computes the gradient
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
}
#endif  // does_not_wait_for_the_parameters

// answer: frees_a_gradient_too_early
// expect: race on sim:0
// Drops the gradient while its copy may still read it.
#ifdef frees_a_gradient_too_early
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
  to_host_.wait(td::getCurrentStream(device_));  // which computes the gradient
  const td::NoGradGuard no_grad;
  const td::StreamGuard on_to_host(to_host_);
  bucket.gradients[index].copy_(gradient, /*non_blocking=*/true);
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
#endif  // frees_a_gradient_too_early

// answer: keeps_gradients_on_the_device
// expect: bytes of the device are still in use
// Frees the gradients in step(), when all of them have been on the device together.
#ifdef keeps_gradients_on_the_device
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
  to_host_.wait(td::getCurrentStream(device_));  // which computes the gradient
  const td::NoGradGuard no_grad;
  const td::StreamGuard on_to_host(to_host_);
  bucket.gradients[index].copy_(gradient, /*non_blocking=*/true);
  gradient.record_stream(to_host_);
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
      bucket->parameters[i].mutable_grad() = td::Tensor();
    }
    bucket->missing = bucket->masters.size();
  }
  td::getCurrentStream(device_).wait(to_device_);  // the next forward pass reads the parameters
}
#endif  // keeps_gradients_on_the_device

// answer: keeps_old_gradients
// expect: in steps 1 and 4, parameters 2 and 3 have no gradient
// A parameter without a gradient is updated with the one of the step before.
#ifdef keeps_old_gradients
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
  td::Tensor& gradient = bucket.parameters[index].mutable_grad();
  to_host_.wait(td::getCurrentStream(device_));  // which computes the gradient
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
    }
    bucket->missing = bucket->masters.size();
  }
  td::getCurrentStream(device_).wait(to_device_);  // the next forward pass reads the parameters
}
#endif  // keeps_old_gradients

// answer: keeps_the_refused_gradient
// expect: has a gradient after step(); it is from the second backward()
// The refused backward() leaves its gradients, to which the next backward() adds.
#ifdef keeps_the_refused_gradient
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
#endif  // keeps_the_refused_gradient

// answer: masters_of_16_bits
// expect: bfloat16 parameter
// Keeps the type of the parameters, so that small steps are lost.
#ifdef masters_of_16_bits
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
      const td::Tensor master = together[i].detach().cpu().pin_memory();
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
  to_host_.wait(td::getCurrentStream(device_));  // which computes the gradient
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
#endif  // masters_of_16_bits

// answer: new_parameters
// expect: does not see the update
// Gives the parameters new memory.
#ifdef new_parameters
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
  to_host_.wait(td::getCurrentStream(device_));  // which computes the gradient
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
      bucket->parameters[i].set_data(
          bucket->masters[i].to(device_, bucket->parameters[i].dtype(), /*non_blocking=*/true));
      bucket->masters[i].mutable_grad() = td::Tensor();
    }
    bucket->missing = bucket->masters.size();
  }
  td::getCurrentStream(device_).wait(to_device_);  // the next forward pass reads the parameters
}
#endif  // new_parameters

// answer: one_step_only
// expect: parameter
// Does not count the gradients of the next step again, so that their event is that of the first
// step.
#ifdef one_step_only
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
  to_host_.wait(td::getCurrentStream(device_));  // which computes the gradient
  const td::NoGradGuard no_grad;
  const td::StreamGuard on_to_host(to_host_);
  bucket.gradients[index].copy_(gradient, /*non_blocking=*/true);
  gradient.record_stream(to_host_);
  gradient = td::Tensor();
  bucket.masters[index].mutable_grad() = bucket.gradients[index];
  if (bucket.missing > 0 && --bucket.missing == 0) bucket.arrived.record(to_host_);
}

void HostAdam::step() {
  const td::NoGradGuard no_grad;
  for (const auto& bucket : buckets_) {
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
  }
  td::getCurrentStream(device_).wait(to_device_);  // the next forward pass reads the parameters
}
#endif  // one_step_only

// answer: overwrites_gradients
// expect: a second backward() before step()
// A second backward pass overwrites the gradients of the first.
#ifdef overwrites_gradients
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
  td::Tensor& gradient = bucket.parameters[index].mutable_grad();
  to_host_.wait(td::getCurrentStream(device_));  // which computes the gradient
  const td::NoGradGuard no_grad;
  const td::StreamGuard on_to_host(to_host_);
  bucket.gradients[index].copy_(gradient, /*non_blocking=*/true);
  gradient.record_stream(to_host_);
  gradient = td::Tensor();
  bucket.masters[index].mutable_grad() = bucket.gradients[index];
  if (bucket.missing > 0 && --bucket.missing == 0) bucket.arrived.record(to_host_);
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
#endif  // overwrites_gradients

// answer: pageable_gradients
// expect: Pageable
// Copies gradients to pageable memory, so that each hook waits.
#ifdef pageable_gradients
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
      bucket.gradients.push_back(td::empty_like(master, master.options().pinned_memory(false)));
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
  to_host_.wait(td::getCurrentStream(device_));  // which computes the gradient
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
#endif  // pageable_gradients

// answer: records_too_early
// expect: parameter
// Records the event after the first gradient of a bucket, not after the last one.
#ifdef records_too_early
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
  to_host_.wait(td::getCurrentStream(device_));  // which computes the gradient
  const td::NoGradGuard no_grad;
  const td::StreamGuard on_to_host(to_host_);
  bucket.gradients[index].copy_(gradient, /*non_blocking=*/true);
  gradient.record_stream(to_host_);
  gradient = td::Tensor();
  bucket.masters[index].mutable_grad() = bucket.gradients[index];
  if (bucket.missing-- == bucket.masters.size()) bucket.arrived.record(to_host_);
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
#endif  // records_too_early

// answer: the_default_stream
// expect: race on sim:0
// Takes the default stream for the current one.
#ifdef the_default_stream
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
  to_host_.wait(td::getDefaultStream(device_));  // which computes the gradient
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
#endif  // the_default_stream

// answer: updates_unused_parameters
// expect: in steps 1 and 4, parameters 2 and 3 have no gradient
// Takes zeros for a missing gradient: weight decay and the averages move the parameter.
#ifdef updates_unused_parameters
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
  to_host_.wait(td::getCurrentStream(device_));  // which computes the gradient
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
    for (std::size_t i = 0; i < bucket->masters.size(); ++i)
      if (!bucket->masters[i].grad().defined())
        bucket->masters[i].mutable_grad() = td::zeros_like(bucket->masters[i]);
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
#endif  // updates_unused_parameters

// answer: waits_for_all_gradients
// expect: the last parameter was not updated while
// Waits for all gradients before the first update.
#ifdef waits_for_all_gradients
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
  to_host_.wait(td::getCurrentStream(device_));  // which computes the gradient
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
    to_host_.synchronize();
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
#endif  // waits_for_all_gradients

// answer: waits_for_the_device
// expect: step() waits for work that was enqueued after the backward pass
// Waits for everything that the device has to do.
#ifdef waits_for_the_device
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
  to_host_.wait(td::getCurrentStream(device_));  // which computes the gradient
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
    td::synchronize(device_);
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
#endif  // waits_for_the_device

// answer: ends_with_a_synchronize
// expect: step() waits for the copies of the updated parameters to the device
// The host waits for the parameters at the end, where the current stream should.
#ifdef ends_with_a_synchronize
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
  to_host_.wait(td::getCurrentStream(device_));  // which computes the gradient
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
  to_device_.synchronize();
}
#endif  // ends_with_a_synchronize
