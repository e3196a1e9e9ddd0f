#include "exercises.h"

// answer: blocks
// expect: copy_async to sim:0 from pinned memory waits for the copy
// The copy is waited for at once: non_blocking is missing.
namespace blocks {
PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  const td::NoGradGuard no_grad;
  stream.wait(td::getCurrentStream(stream.device()));  // whose work the values are
  const td::Tensor from = source.is_cpu() ? source.contiguous().pin_memory() : source.contiguous();
  const td::StreamGuard on_stream(stream);
  const bool to_host = device.is_cpu();
  td::Tensor copy = td::empty(
      source.sizes(), td::TensorOptions(source.dtype()).device(device).pinned_memory(to_host));
  copy.copy_(from);
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
}  // namespace blocks

// answer: freed_too_early
// expect: the sum of a copy that was dropped while the sum waited
// The allocator does not know that the current stream uses the memory, and gives it away.
namespace freed_too_early {
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
  pending.ready.block(current);
  return pending.tensor;
}
}  // namespace freed_too_early

// answer: keeps_the_strides
// expect: not contiguous waits for the copy
// A pinned view that is not contiguous is copied as it is, which stages it.
namespace keeps_the_strides {
PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  const td::NoGradGuard no_grad;
  stream.wait(td::getCurrentStream(stream.device()));
  const td::Tensor from = source.is_pinned() || !source.is_cpu() ? source : source.pin_memory();
  const td::StreamGuard on_stream(stream);
  const bool to_host = device.is_cpu();
  td::Tensor copy = td::empty(
      source.sizes(), td::TensorOptions(source.dtype()).device(device).pinned_memory(to_host));
  copy.copy_(from, /*non_blocking=*/true);
  if (!from.is_cpu()) from.record_stream(stream);
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
}  // namespace keeps_the_strides

// answer: knows_the_default_stream_only
// expect: not the default
// Takes the default stream for the current one.
namespace knows_the_default_stream_only {
PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  const td::NoGradGuard no_grad;
  stream.wait(td::getDefaultStream(stream.device()));
  const td::Tensor from = source.is_cpu() ? source.contiguous().pin_memory() : source.contiguous();
  const td::StreamGuard on_stream(stream);
  const bool to_host = device.is_cpu();
  td::Tensor copy = td::empty(
      source.sizes(), td::TensorOptions(source.dtype()).device(device).pinned_memory(to_host));
  copy.copy_(from, /*non_blocking=*/true);
  if (!from.is_cpu()) from.record_stream(stream);
  td::Event ready(stream.device().type());
  ready.record(stream);
  return {copy, std::move(ready)};
}

const td::Tensor& wait_for(const PendingCopy& pending) {
  if (pending.tensor.is_cpu()) {
    pending.ready.synchronize();
    return pending.tensor;
  }
  const td::Stream current = td::getDefaultStream(pending.tensor.device());
  pending.ready.block(current);
  pending.tensor.record_stream(current);
  return pending.tensor;
}
}  // namespace knows_the_default_stream_only

// answer: not_waited_for
// expect: the sum of the copy, computed at once after wait_for
// On a device no stream waits for the event. Right when the copy happens to be quick.
namespace not_waited_for {
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
}  // namespace not_waited_for

// answer: pageable_source
// expect: from pageable memory
// A pageable source is copied by way of a buffer, and the host has to help.
namespace pageable_source {
PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  const td::NoGradGuard no_grad;
  stream.wait(td::getCurrentStream(stream.device()));  // whose work the values are
  const td::Tensor from = source.is_cpu() ? source.contiguous() : source.contiguous();
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
}  // namespace pageable_source

// answer: reads_too_early
// expect: the copy of a tensor that the current stream was still adding to
// The copying stream does not wait for the stream that makes the values.
namespace reads_too_early {
PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  const td::NoGradGuard no_grad;
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
}  // namespace reads_too_early

// answer: returns_the_source
// expect: a copy within sim:0 shares the memory of the source
// to() returns a source on the same device as it is.
namespace returns_the_source {
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
}  // namespace returns_the_source

// answer: source_freed_too_early
// expect: the copy of a tensor that was dropped while its copy waited
// The allocator does not know that the copying stream reads the source.
namespace source_freed_too_early {
PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  const td::NoGradGuard no_grad;
  stream.wait(td::getCurrentStream(stream.device()));  // whose work the values are
  const td::Tensor from = source.is_cpu() ? source.contiguous().pin_memory() : source.contiguous();
  const td::StreamGuard on_stream(stream);
  const bool to_host = device.is_cpu();
  td::Tensor copy = td::empty(
      source.sizes(), td::TensorOptions(source.dtype()).device(device).pinned_memory(to_host));
  copy.copy_(from, /*non_blocking=*/true);
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
}  // namespace source_freed_too_early

// answer: the_host_waits
// expect: wait_for a tensor on sim:0 keeps the host until the copy is done
// The host waits, where the stream could. Right values, and no overlap.
namespace the_host_waits {
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
  pending.ready.synchronize();
  pending.tensor.record_stream(current);
  return pending.tensor;
}
}  // namespace the_host_waits

// answer: waits_for_device_sources_only
// expect: the copy of a pinned tensor to which the current stream was still copying
// Takes the values of a source on the host for complete.
namespace waits_for_device_sources_only {
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
}  // namespace waits_for_device_sources_only

// answer: waits_for_the_device
// expect: waits for a stream that has nothing to do with the copy
// The whole device is waited for, which hides every missing wait and all overlap.
namespace waits_for_the_device {
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
    td::synchronize(td::Device(pending.ready.device_type(), 0));
    return pending.tensor;
  }
  const td::Stream current = td::getCurrentStream(pending.tensor.device());
  pending.ready.block(current);
  pending.tensor.record_stream(current);
  return pending.tensor;
}
}  // namespace waits_for_the_device

// answer: wrong_stream
// expect: the copy of 300 ms is not made by `stream`
// The copy is on the current stream, the event on the other one.
namespace wrong_stream {
PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  const td::NoGradGuard no_grad;
  stream.wait(td::getCurrentStream(stream.device()));  // whose work the values are
  const td::Tensor from = source.is_cpu() ? source.contiguous().pin_memory() : source.contiguous();
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
}  // namespace wrong_stream

// answer: event_before_the_copy
// expect: and then work on the copy and on the source: the race finder reports
// Records the event before the copy. Right as long as copies are quick.
namespace event_before_the_copy {
PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  stream.wait(td::getCurrentStream(stream.device()));
  const td::Tensor from = source.is_cpu() ? source.contiguous().pin_memory() : source.contiguous();
  const td::StreamGuard on_stream(stream);
  td::Tensor copy =
      td::empty(source.sizes(),
                td::TensorOptions(source.dtype()).device(device).pinned_memory(device.is_cpu()));
  td::Event ready(stream.device().type());
  ready.record(stream);
  copy.copy_(from, /*non_blocking=*/true);
  if (!from.is_cpu()) from.record_stream(stream);
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
}  // namespace event_before_the_copy

// answer: the_host_never_waits
// expect: to cpu, wait_for, and then work on the copy
// Lets a stream wait, also for a copy that the host reads.
namespace the_host_never_waits {
PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  stream.wait(td::getCurrentStream(stream.device()));
  const td::Tensor from = source.is_cpu() ? source.contiguous().pin_memory() : source.contiguous();
  const td::StreamGuard on_stream(stream);
  td::Tensor copy =
      td::empty(source.sizes(),
                td::TensorOptions(source.dtype()).device(device).pinned_memory(device.is_cpu()));
  copy.copy_(from, /*non_blocking=*/true);
  if (!from.is_cpu()) from.record_stream(stream);
  td::Event ready(stream.device().type());
  ready.record(stream);
  return {copy, std::move(ready)};
}

const td::Tensor& wait_for(const PendingCopy& pending) {
  const td::Device device = pending.tensor.is_cpu() ? td::Device("sim:0") : pending.tensor.device();
  const td::Stream current = td::getCurrentStream(device);
  pending.ready.block(current);
  if (!pending.tensor.is_cpu()) pending.tensor.record_stream(current);
  return pending.tensor;
}
}  // namespace the_host_never_waits

// answer: records_the_default_stream
// expect: still used it: record_stream takes the current stream
// Tells the allocator of the default stream, and not of the one that uses the tensor.
namespace records_the_default_stream {
PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream) {
  const td::NoGradGuard no_grad;
  stream.wait(td::getCurrentStream(stream.device()));
  const td::Tensor from = source.is_cpu() ? source.contiguous().pin_memory() : source.detach();
  td::Event ready(stream.device().type());
  const td::StreamGuard guard(stream);
  const auto options = td::TensorOptions(from.scalar_type());
  const td::Tensor copy = td::empty(
      from.sizes(), device.is_cpu() ? options.pinned_memory(true) : options.device(device));
  copy.detach().copy_(from, /*non_blocking=*/true);
  if (!from.is_cpu()) from.record_stream(stream);
  ready.record(stream);
  return {copy, std::move(ready)};
}

const td::Tensor& wait_for(const PendingCopy& pending) {
  if (pending.tensor.is_cpu()) {
    pending.ready.synchronize();
    return pending.tensor;
  }
  pending.ready.block(td::getCurrentStream(pending.tensor.device()));
  pending.tensor.record_stream(td::getDefaultStream(pending.tensor.device()));
  return pending.tensor;
}
}  // namespace records_the_default_stream
