// Copies a tensor from one device to another while both devices continue to work. It is chapter
// 08's async_copy for any two devices. split_model and its tests use it.
// Invariant: the current stream of neither device waits for the copy before receive().
#pragma once

#include <utility>

#include "td/td.h"

/// A tensor whose copy may still be in flight, and the event that is recorded after the copy.
struct PendingTensor {
  td::Tensor tensor;
  td::Event ready;
};

/// Copies from one device to another. Create it once: its streams come from a pool of 32.
class AsyncTransfer {
 public:
  AsyncTransfer(td::Device from, td::Device to) : out_(copy_stream(from)), in_(copy_stream(to)) {}

  /// Enqueues the copy of a tensor of the sending device and returns immediately. If both devices
  /// are the same, nothing is copied. The result has no gradient. The caller may release the tensor
  /// but must not write to it. Pageable host memory is first copied to pinned memory, because the
  /// host would otherwise block.
  PendingTensor send(const td::Tensor& tensor) const {
    const td::NoGradGuard no_grad;
    const bool from_host = tensor.is_cpu();
    const bool same_device = out_.device() == in_.device();
    if (same_device) return {tensor.detach(), event_after(td::getCurrentStream(in_.device()))};
    if (!from_host) {
      out_.wait(td::getCurrentStream(out_.device()));  // the stream that computes the values
      tensor.record_stream(out_);
    }
    const td::Tensor source = from_host ? tensor.contiguous().pin_memory() : tensor;
    const td::StreamGuard out(out_), in(in_);
    const td::Tensor copy = source.to(in_.device(), source.dtype(), /*non_blocking=*/true);
    return {copy, event_after(from_host ? in_ : out_)};
  }

 private:
  static td::Stream copy_stream(td::Device device) {
    return device.is_cpu() ? td::getCurrentStream(device) : td::getStreamFromPool(device);
  }
  static td::Event event_after(const td::Stream& stream) {
    td::Event event(stream.device().type());
    event.record(stream);
    return event;
  }

  td::Stream out_, in_;
};

/// Returns the tensor for use. On a device, the current stream waits for the copy and the host does
/// not. On the cpu, the host blocks until this copy has finished, and waits for nothing else.
inline const td::Tensor& receive(const PendingTensor& pending) {
  if (pending.tensor.is_cpu()) {
    pending.ready.synchronize();
    return pending.tensor;
  }
  const td::Stream current = td::getCurrentStream(pending.tensor.device());
  pending.ready.block(current);
  pending.tensor.record_stream(current);
  return pending.tensor;
}
