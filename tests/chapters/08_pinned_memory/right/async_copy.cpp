#include "exercises.h"

// answer: by_events
// Orders the streams by an event, and copies with to().
namespace by_events {
PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  const td::NoGradGuard no_grad;
  td::Tensor from = source.contiguous();
  if (from.is_cpu() && !from.is_pinned()) from = from.pin_memory();
  td::Event computed(stream.device().type());
  computed.record(td::getCurrentStream(stream.device()));
  computed.block(stream);
  td::Event ready(stream.device().type());
  td::Tensor copy;
  {
    const td::StreamGuard guard(stream);
    if (device.is_cpu()) {
      copy = td::empty(from.sizes(), td::TensorOptions(from.dtype()).pinned_memory(true));
      copy.copy_(from, true);
      from.record_stream(stream);
    } else {
      copy = from.to(device, from.dtype(), true, true);
      if (!from.is_cpu()) from.record_stream(stream);
    }
    ready.record(stream);
  }
  return PendingCopy{copy, std::move(ready)};
}

const td::Tensor& wait_for(const PendingCopy& pending) {
  if (pending.tensor.device().is_cpu()) {
    pending.ready.synchronize();
  } else {
    const td::Stream now = td::getCurrentStream(pending.tensor.device());
    pending.tensor.record_stream(now);
    pending.ready.block(now);
  }
  return pending.tensor;
}
}  // namespace by_events
