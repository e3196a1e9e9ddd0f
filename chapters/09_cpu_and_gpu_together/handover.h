// A tensor goes from one device to another while both go on working. What async_copy was in chapter
// 08, between any two devices and with streams that stay. split_model and its tests call it.
// Invariant: neither device's current stream waits for the copy before receive().
#pragma once

#include <utility>

#include "td/td.h"

/// A tensor that is on its way, and the event behind its copy.
struct Sent {
  td::Tensor tensor;
  td::Event ready;
};

/// The way from one device to another. Make it once: its streams come from a pool of 32.
class Handover {
 public:
  Handover(td::Device from, td::Device to)
      : out_(stream_of_its_own(from)), in_(stream_of_its_own(to)) {}

  // anchor: send
  /// Starts to copy a tensor of the sending device and returns at once; where both are one device,
  /// there is no copy. No gradient is recorded. The caller may drop the tensor, and must not write
  /// to it. Host memory that is not page-locked is pinned first, or the host would have to wait.
  Sent send(const td::Tensor& tensor) const {
    const td::NoGradGuard no_grad;
    const bool from_host = tensor.is_cpu();
    const bool stays = out_.device() == in_.device();
    if (stays) return {tensor.detach(), behind(td::getCurrentStream(in_.device()))};
    if (!from_host) {
      out_.wait(td::getCurrentStream(out_.device()));  // whose work the values are
      tensor.record_stream(out_);
    }
    const td::Tensor source = from_host ? tensor.contiguous().pin_memory() : tensor;
    const td::StreamGuard out(out_), in(in_);
    const td::Tensor copy = source.to(in_.device(), source.dtype(), /*non_blocking=*/true);
    return {copy, behind(from_host ? in_ : out_)};
  }
  // anchor end

 private:
  static td::Stream stream_of_its_own(td::Device device) {
    return device.is_cpu() ? td::getCurrentStream(device) : td::getStreamFromPool(device);
  }
  static td::Event behind(const td::Stream& stream) {
    td::Event event(stream.device().type());
    event.record(stream);
    return event;
  }

  td::Stream out_, in_;
};

/// The tensor for use from now on. On a device its current stream waits, and the host goes on; on
/// the cpu the host waits, for this copy and no other.
inline const td::Tensor& receive(const Sent& sent) {
  if (sent.tensor.is_cpu()) {
    sent.ready.synchronize();
    return sent.tensor;
  }
  const td::Stream current = td::getCurrentStream(sent.tensor.device());
  sent.ready.block(current);
  sent.tensor.record_stream(current);
  return sent.tensor;
}
