#include "exercises.h"

// answer: events_instead_of_streams
// An event for each order, plain loops, and masters that are made step by step.
#ifdef events_instead_of_streams
namespace {

td::Event mark(const td::Stream& stream) {
  td::Event event(stream.device().type());
  event.record(stream);
  return event;
}

}  // namespace

HostAdam::HostAdam(const td::TensorList& parameters, const td::optim::AdamOptions& options,
                   std::size_t bucket_bytes)
    : device_(parameters.front().device()),
      to_host_(td::getStreamFromPool(device_)),
      to_device_(td::getStreamFromPool(device_)) {
  for (const td::TensorList& group : split_into_buckets(parameters, bucket_bytes)) {
    auto bucket = std::make_unique<Bucket>(device_.type());
    Bucket* const raw = bucket.get();
    for (const td::Tensor& parameter : group) {
      const auto pinned = td::TensorOptions(td::kFloat32).pinned_memory(true);
      const td::Tensor master = td::empty(parameter.sizes(), pinned);
      {
        const td::NoGradGuard no_grad;
        master.copy_(parameter);
      }
      const std::size_t index = raw->masters.size();
      raw->parameters.push_back(parameter);
      raw->masters.push_back(master);
      raw->gradients.push_back(td::zeros(parameter.sizes(), pinned));
      raw->hooks.push_back(parameter.register_post_accumulate_grad_hook(
          [this, raw, index](const td::Tensor&) { send_gradient(*raw, index); }));
    }
    raw->adam = std::make_unique<td::optim::Adam>(raw->masters, options);
    buckets_.push_back(std::move(bucket));
  }
}

HostAdam::~HostAdam() {
  td::synchronize(device_);
  for (auto& bucket : buckets_) {
    auto hook = bucket->hooks.begin();
    for (td::Tensor& parameter : bucket->parameters) parameter.remove_hook(*hook++);
  }
}

void HostAdam::send_gradient(Bucket& bucket, std::size_t index) {
  td::Tensor& master = bucket.masters[index];
  const td::Tensor gradient = bucket.parameters[index].grad();
  bucket.parameters[index].mutable_grad() = td::Tensor();
  if (master.grad().defined())
    throw td::Error("this gradient was sent already; a step() belongs between two backward passes");
  mark(td::getCurrentStream(device_)).block(to_host_);
  {
    const td::NoGradGuard no_grad;
    const td::StreamGuard guard(to_host_);
    bucket.gradients[index].copy_(gradient, true);
    bucket.arrived.record(to_host_);  // again after each copy: the last one counts
  }
  gradient.record_stream(to_host_);
  master.mutable_grad() = bucket.gradients[index];
  ++bucket.missing;  // here: gradients that were sent
}

void HostAdam::step() {
  const td::NoGradGuard no_grad;
  for (auto& bucket : buckets_) {
    if (bucket->missing == 0) continue;
    bucket->arrived.synchronize();
    bucket->adam->step();
    for (std::size_t i = 0; i < bucket->parameters.size(); ++i) {
      if (!bucket->masters[i].grad().defined()) continue;
      const td::StreamGuard guard(to_device_);
      bucket->parameters[i].copy_(bucket->masters[i], true);
    }
    bucket->adam->zero_grad(/*set_to_none=*/true);
    bucket->missing = 0;
  }
  mark(to_device_).block(td::getCurrentStream(device_));
}
#endif  // events_instead_of_streams
