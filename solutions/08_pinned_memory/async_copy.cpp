// copy_async and wait_for: exercise 8.async_copy, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

Arrival copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  // blank: Wait for the source, copy on the stream, record the event. About 9 lines.
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
  // end
}

const td::Tensor& wait_for(const Arrival& arrival) {
  // blank: The host waits, or the current stream does and the allocator knows. About 6 lines.
  if (arrival.tensor.is_cpu()) {
    arrival.ready.synchronize();
    return arrival.tensor;
  }
  const td::Stream current = td::getCurrentStream(arrival.tensor.device());
  arrival.ready.block(current);
  arrival.tensor.record_stream(current);
  return arrival.tensor;
  // end
}
