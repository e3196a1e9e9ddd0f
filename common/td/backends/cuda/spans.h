// Spans of GPU work for traces: an event before it and one behind it tell when the stream came by.
// The backend's copies and kernels/launch.h put one around what they queue, NCCL's communicators
// one around a collective. Includes nothing of CUDA. Invariant: work of one stream is queued by one
// traced call at a time, so that its spans never partly overlap.
#pragma once

#include <memory>

#include "td/backends/cuda/cuda.h"
#include "td/base/span_recorder.h"

namespace td::cuda {

/// While it lives, one thing is queued on a stream. Does nothing unless spans are kept.
class StreamSpan {
 public:
  /// Makes the device current. @param stream the native handle. @param bytes what is copied, where
  /// that is the work. @throws DeviceError with the driver's words.
  StreamSpan(const char* name, int device, void* stream,
             trace::Category category = trace::Category::kKernel, std::uint64_t bytes = 0)
      : correlation_(trace::is_on() ? trace::next_correlation() : 0),
        launch_({0, correlation_}, name, trace::Category::kLaunch) {
    use_device(device);
    if (correlation_ != 0) [[unlikely]]
      begin(name, device, stream, category, bytes);
  }
  ~StreamSpan() {
    if (begun_) [[unlikely]]
      end();
  }
  StreamSpan(const StreamSpan&) = delete;
  StreamSpan& operator=(const StreamSpan&) = delete;

 private:
  void begin(const char* name, int device, void* stream, trace::Category category,
             std::uint64_t bytes);
  void end();

  const std::uint32_t correlation_;
  const trace::Span launch_;  // the host's part
  bool begun_ = false;
};

/// The same for what may have to wait before it is queued: a collective for the other ranks, a copy
/// of pageable memory for the stream. Nobody else's spans wait meanwhile, so the caller sees to it
/// that nothing else is queued on the stream. The span ends with the object. @return null unless
/// spans are kept.
std::shared_ptr<void> waiting_span(const char* name, std::uint64_t bytes, int device, void* stream,
                                   trace::Category category);

}  // namespace td::cuda
