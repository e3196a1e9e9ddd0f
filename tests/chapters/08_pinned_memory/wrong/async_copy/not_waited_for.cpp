// expect: the sum of the copy, computed at once after wait_for
// On a device no stream waits for the event. Right when the copy happens to be quick.
#include "exercises.h"

PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  const td::NoGradGuard no_grad;
  stream.wait(td::getCurrentStream(stream.device()));  // whose work the values are
  const td::Tensor from = source.is_cpu() ? source.contiguous().pin_memory() : source.contiguous();
  const td::StreamGuard on_stream(stream);
  const bool to_host = device.is_cpu();
  td::Tensor copy = td::empty(
      source.sizes(), td::TensorOptions(source.dtype()).device(device).pinned_memory(to_host));
  copy.copy_(from, /*non_blocking=*/true);
  if (!from.is_cpu()) from.record_stream(stream);  // the caller may drop it now
  td::Event ready(stream.device().type());
  ready.record(stream);
  return {copy, std::move(ready)};
}

const td::Tensor& wait_for(const PendingCopy& pending) {
  if (pending.tensor.is_cpu()) {
    pending.ready.synchronize();
    return pending.tensor;
  }
  const td::Stream current = td::getCurrentStream(pending.tensor.device());
  pending.tensor.record_stream(current);
  return pending.tensor;
}
