// A graph of sim: the entries of the captured streams, and the events between them. A StreamQueue
// passes its entries to the capture. A launch is one entry in the ring of the stream, and one in a
// separate queue for every other stream of the capture. Invariant: launches of one graph run
// sequentially, so an edge is passed once per launch.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

#include "sim/stream_queue.h"

namespace td {
class GraphBackend;
}

namespace td::sim {

/// The graphs of sim, for its backend.
GraphBackend& graphs();

/// A point of one branch that another branch waits for, in each launch.
struct Edge {
  /// On a stream's thread: passes the point; on the other's: waits until it is passed.
  ///@{
  void pass();
  void wait();
  ///@}
  VectorClock before{};                  ///< per branch: its kernels and copies that come first
  std::atomic<std::uint32_t> launch{0};  ///< the last launch that passed it
  Failure failure;                       ///< of the stream that passed it
};

class Capture : public RefCounted {
 public:
  explicit Capture(StreamQueue& origin);
  ~Capture() override;

  /// From the captured queues.
  ///@{
  void add(StreamQueue& queue, const StreamQueue::Item& item);
  intrusive_ptr<EventState> record_state(StreamQueue& queue);
  ///@}
  /// Later work of `queue` comes after the edge; a queue that is not captured yet joins the
  /// capture.
  void wait(StreamQueue& queue, Edge& edge);
  /// Ends the capture for all queues. @throws DeviceError when one was not joined back.
  void finish();
  /// The number of kernels and copies.
  std::size_t size() const;
  void launch(StreamQueue& queue);
  /// On a stream's thread: one branch of a launch.
  void run(std::size_t branch, std::uint32_t launch);

 private:
  /// The work of one captured queue.
  struct Branch {
    StreamQueue* captured;
    std::size_t number;
    StreamQueue* own = nullptr;  ///< runs it at a launch; the first runs where it is launched
    std::vector<char> entries{};
    std::uint32_t size = 0;  ///< kernels and copies
    VectorClock before{};    ///< per branch: its kernels and copies before the next entry
  };
  Branch& branch_of(StreamQueue& queue);
  void join_branches();

  std::mutex mutex_;             // guards all below; between finish and the end nothing changes
  std::deque<Branch> branches_;  // the first is the origin's
  std::deque<Edge> edges_;
  bool finished_ = false;
  std::mutex launching_;  // guards launches_; not mutex_, which is taken with a queue's mutex held
  std::uint32_t launches_ = 0;
};

/// The state of an event that was recorded on a captured stream.
struct CapturedEventState : EventState {
  CapturedEventState(intrusive_ptr<Capture> c, Edge& e)
      : EventState(true), capture(std::move(c)), edge(e) {}
  const intrusive_ptr<Capture> capture;
  Edge& edge;
};

/// StreamQueue::wait_for where the queue is captured or the state is. @throws DeviceError when only
/// the queue is, or the capture is over.
void wait_in_capture(StreamQueue& queue, const EventState& state);

}  // namespace td::sim
