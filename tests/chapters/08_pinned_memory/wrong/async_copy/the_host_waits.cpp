// expect: wait_for a tensor on sim:0 keeps the host until the copy is done
// The host waits, where the stream could. Right values, and no overlap.
#include "exercises.h"

Arrival copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
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

const td::Tensor& wait_for(const Arrival& arrival) {
  if (arrival.tensor.is_cpu()) {
    arrival.ready.synchronize();
    return arrival.tensor;
  }
  const td::Stream current = td::getCurrentStream(arrival.tensor.device());
  arrival.ready.synchronize();
  arrival.tensor.record_stream(current);
  return arrival.tensor;
}
