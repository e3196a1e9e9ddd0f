// expect: a copy within sim:0, after the source was changed
// to() returns a source on the same device as it is.
#include "exercises.h"

PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  const td::NoGradGuard no_grad;
  stream.wait(td::getCurrentStream(stream.device()));  // it computes the values
  const td::Tensor from = source.is_cpu() ? source.contiguous().pin_memory() : source.contiguous();
  const td::StreamGuard on_stream(stream);
  const bool to_host = device.is_cpu();
  td::Tensor copy;
  if (to_host)
    copy = td::empty_like(from, from.options().device(device).pinned_memory(true))
               .copy_(from, /*non_blocking=*/true);
  else
    copy = from.to(device, from.dtype(), /*non_blocking=*/true);
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
