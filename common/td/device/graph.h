// A graph: work of a stream that is captured once and then launched as a whole (replayed) any
// number of times, at the cost of one launch. libtorch: at::cuda::CUDAGraph. For programs whose
// steps are many small launches on tensors of fixed sizes. Streams, allocators and backends call
// the functions at the end of this file to learn whether a graph is being captured.
// Invariant: a graph that is ready owns the memory that its work was captured with.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "td/device/context.h"
#include "td/device/stream.h"

namespace td {

/// Captures work of sim or cuda and replays it.
///
/// A replay does the same launches with the same arguments on the same memory. So
/// - inputs are copied into tensors made before the capture (`x.copy_(batch)`, then `replay()`),
///   results are read from tensors that the capture made, and every tensor that existed before the
///   capture and is used in it must live as long as the graph;
/// - numbers of the host are frozen: a learning rate in a C++ variable stays what it was. Let
///   optimizers keep theirs on the device (`capturable(true)`);
/// - random operations draw new numbers at each replay, from default_generator(), as if the step
///   ran without a graph.
///
/// Run the step a few times first, on the stream that will be captured: state that is made at first
/// use (momentum buffers, handles of libraries) must be there. An AutocastGuard belongs inside the
/// step, where each replay casts the weights again. Memory taken during the capture is the graph's
/// own until reset().
///
/// @code
/// td::Graph graph;
/// graph.capture(stream, [&] { optimizer.zero_grad(); loss = loss_of(model->forward(x), y);
///                             loss.backward(); optimizer.step(); });
/// for (auto& batch : *loader) { x.copy_(batch.data); y.copy_(batch.target); graph.replay(); }
/// @endcode
class Graph {
 public:
  Graph() = default;
  /// Does what reset() does, but throws nothing. While this thread captures another graph, it may
  /// not wait for the last replay; the work and its memory are then released after that capture.
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// From now on work that this thread queues on the current stream (of cuda where that is not the
  /// default stream, else of sim) is captured and does not run. A stream that waits for an event of
  /// the captured stream is captured too, and must be waited for again before the end.
  /// @throws DeviceError on the default stream, in a capture, and for a graph that has one already.
  void capture_begin();
  /// Ends the capture and makes the graph ready. @throws DeviceError when nothing was captured, or
  /// a captured stream was not waited for; the graph is then as new.
  void capture_end();
  /// Calls both, around `work` with `stream` as the current stream. When `work` throws, the capture
  /// is abandoned and the graph is as new.
  void capture(const Stream& stream, const std::function<void()>& work);

  /// Queues the captured work on the current stream of the graph's device. It runs after what that
  /// stream holds and after the last replay.
  /// @throws DeviceError before capture_end().
  void replay();
  /// Waits for the last replay, then releases the captured work and its memory; the graph is as
  /// new. Tensors made in the capture keep their values.
  void reset();

  /// The device it is captured on; cpu for a new graph.
  Device device() const { return stream_ ? stream_->device() : Device(kCPU); }
  /// The number of the capture, counted from 1 over all graphs.
  std::uint64_t capture_number() const { return capture_number_; }
  /// Launches and copies in a replay; 0 before capture_end().
  std::size_t size() const { return size_; }
  /// Calls `action` at each replay, on the host, before the work is queued. `action` may queue work
  /// on the same stream, to set what changes from replay to replay. Only during the capture.
  void before_replay(std::function<void()> action);

 private:
  enum class State { kNew, kCapturing, kReady };
  void begin(const Stream& stream);
  void end();
  void give_up() noexcept;

  State state_ = State::kNew;
  std::size_t size_ = 0;
  std::uint64_t capture_number_ = 0;
  NativeGraph* native_ = nullptr;
  std::optional<Stream> stream_;  ///< that was captured
  std::optional<Stream> last_;    ///< of the last replay
  std::vector<std::function<void()>> before_replay_;
};

/// @name Of a graph that is being captured. Waiting for the device is an error then
/// (check_may_wait), memory comes from the graph's own pool, and the allocators record no events.
/// @{
/// The graph that this thread captures; nullptr outside of captures.
inline Graph* capturing_graph() { return context().underway.capture; }
/// Captures in all threads. While there are any, allocators record no events: a stream that is
/// captured would take them into its graph.
extern std::atomic<int> captures_underway;
/// True while this thread captures a graph (torch.cuda.is_current_stream_capturing).
inline bool is_capturing() { return capturing_graph() != nullptr; }

/// Throws for what a capture cannot hold: "<what>: not while a graph is captured. <why and cure>".
[[noreturn, gnu::cold]] void fail_in_capture(const char* what, const char* cure);
/// Throw DeviceError: the host waits for a stream that another thread captures, or queries an event
/// of a capture. Backends call them.
[[noreturn, gnu::cold]] void refuse_captured_stream(DeviceType type, int index);
[[noreturn, gnu::cold]] void refuse_captured_event();

/// Called for copies from or to host memory that is not pinned. @throws DeviceError in a capture.
inline void check_may_copy_pageable() {
  if (capturing_graph()) [[unlikely]]
    fail_in_capture("copy",
                    "The host's side is pageable memory, which the device cannot reach by itself "
                    "at each replay. Keep it in one pinned tensor, from pin_memory(), for as "
                    "long as the graph is used.");
}
/// @}

}  // namespace td
