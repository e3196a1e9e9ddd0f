// copy_async and wait_for: exercise 8.async_copy, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  // blank: Wait for the source, copy on the stream, record the event. About 9 lines.
  const td::NoGradGuard no_grad;
  stream.wait(td::getCurrentStream(stream.device()));  // it computes the values
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
  // end
}

const td::Tensor& wait_for(const PendingCopy& pending) {
  // blank: On cpu the host waits, else the stream; tell the allocator. About 6 lines.
  if (pending.tensor.is_cpu()) {
    pending.ready.synchronize();
    return pending.tensor;
  }
  const td::Stream current = td::getCurrentStream(pending.tensor.device());
  pending.ready.block(current);
  pending.tensor.record_stream(current);
  return pending.tensor;
  // end
}
