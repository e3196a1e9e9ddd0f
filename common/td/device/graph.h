// A graph: work of a stream, written down once (captured) and then launched as a whole, as often as
// wanted (replayed), at the cost of one launch. libtorch: at::cuda::CUDAGraph. For programs whose
// steps are many small launches on tensors of fixed sizes.
// Invariant: a graph that is ready owns the memory that its work was captured with.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

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
/// ran
///   without a graph.
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
  /// As reset(), without errors.
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// From now on work that this thread queues on the current stream (of cuda where that is not the
  /// default stream, else of sim) is captured and does not run. A stream that waits for an event of
  /// the captured stream is captured too, and must be waited for again before the end.
  /// @throws DeviceError on the default stream, in a capture, and for a graph that has one already.
  void capture_begin();
  /// Ends the capture and makes the graph ready.
  /// @throws DeviceError when nothing was captured, or a stream did not come back; the graph is
  /// then as new.
  void capture_end();
  /// Both, around `work` with `stream` as the current stream. When `work` throws, the capture is
  /// given up and the graph is as new.
  void capture(const Stream& stream, const std::function<void()>& work);

  /// Queues the captured work on the current stream of the graph's device. It runs after what that
  /// stream holds and after the last replay.
  /// @throws DeviceError before capture_end().
  void replay();
  /// Waits for the last replay, then gives up the captured work and its memory; the graph is as
  /// new. Tensors made in the capture keep their values.
  void reset();

  /// The device it is captured on; cpu for a new graph.
  Device device() const { return stream_ ? stream_->device() : Device(kCPU); }
  /// Tells captures apart, counted from 1 over all graphs.
  std::uint64_t capture_number() const { return capture_number_; }
  /// Launches and copies in a replay; 0 before capture_end().
  std::size_t size() const { return size_; }
  /// Calls `action` at each replay, on the host, before the work is queued; it queues on the same
  /// stream. For what must change from replay to replay. Only in the capture.
  void before_replay(std::function<void()> action);

 private:
  enum class State { kNew, kCapturing, kReady };
  void end(bool keep);
  void give_up() noexcept;

  State state_ = State::kNew;
  std::size_t size_ = 0;
  std::uint64_t capture_number_ = 0;
  void* native_ = nullptr;
  std::optional<Stream> stream_;  ///< that was captured
  std::optional<Stream> last_;    ///< of the last replay
  std::vector<std::function<void()>> before_replay_;
};

/// True while this thread captures a graph (torch.cuda.is_current_stream_capturing).
bool is_capturing();

}  // namespace td
