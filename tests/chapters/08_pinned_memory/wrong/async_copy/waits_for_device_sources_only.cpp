// expect: the copy of a pinned tensor to which the current stream was still copying
// Takes the values of a source on the host for complete.
#include "exercises.h"

PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  const td::NoGradGuard no_grad;
  if (!source.is_cpu()) stream.wait(td::getCurrentStream(stream.device()));
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
  pending.ready.block(current);
  pending.tensor.record_stream(current);
  return pending.tensor;
}
