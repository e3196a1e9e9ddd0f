// A graph of sim: the entries of the streams that were captured, and the events between them. Queue
// hands entries over while it is captured; graph_backend.cpp begins, ends and launches. A launch is
// one entry in the ring of the stream, and one more in a queue of the graph's own for every other
// stream of the capture.
// Invariant: launches of one graph come one after the other, so an edge is passed once a launch.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

#include "sim/queue.h"

namespace td {
class GraphBackend;
}

namespace td::sim {

/// The graphs of sim, for its backend.
GraphBackend& graphs();

/// A point of one branch that another waits for, at each launch anew.
struct Edge {
  /// On a stream's thread: passes the point; on the other's: waits until it is passed.
  ///@{
  void pass();
  void wait();
  ///@}
  std::atomic<std::uint32_t> launch{0};  ///< the last launch that passed it
  intrusive_ptr<Failure> failure;        ///< of the stream that passed it
};

class Capture : public RefCounted {
 public:
  explicit Capture(Queue& origin);
  ~Capture() override;

  /// From the captured queues.
  ///@{
  void add(Queue& queue, const Queue::Item& item);
  intrusive_ptr<Ticket> mark(Queue& queue);
  ///@}
  /// What `queue` is asked for from now on comes after edge number `edge`; a queue that is not
  /// captured yet is from now on.
  void wait(Queue& queue, std::size_t edge);
  /// Ends the capture for all queues. @throws DeviceError when one did not come back.
  void finish();
  /// How many records and copies there are.
  std::size_t size() const;
  void launch(Queue& queue);
  /// On a stream's thread: one branch of a launch.
  void run(std::size_t branch, std::uint32_t launch);

 private:
  /// What one captured queue was asked for.
  struct Branch {
    Queue* captured = nullptr;
    Queue* own = nullptr;  ///< runs it at a launch; the first branch runs where it is launched
    std::size_t number = 0;
    std::vector<char> entries;
    std::uint32_t size = 0;  ///< records and copies
    /// By branch: how many of its records and copies come before what is added next.
    std::vector<std::uint32_t> before;
  };
  Branch& branch_of(Queue& queue);
  void join_branches();

  std::mutex mutex_;             // guards all below; between finish and the end nothing changes
  std::deque<Branch> branches_;  // the first is the origin's
  std::deque<Edge> edges_;
  std::deque<std::vector<std::uint32_t>> edge_before_;  // Branch::before at each edge
  bool finished_ = false;
  std::mutex launching_;  // guards launches_; not mutex_, which is taken with a queue's mutex held
  std::uint32_t launches_ = 0;
};

/// The mark of an event that was recorded on a captured stream.
struct CapturedTicket : Ticket {
  CapturedTicket(intrusive_ptr<Capture> c, std::size_t e)
      : Ticket(true), capture(std::move(c)), edge(e) {}
  const intrusive_ptr<Capture> capture;
  const std::size_t edge;
};

/// Queue::wait_for where the queue is captured or the ticket is. @throws DeviceError when only the
/// queue is, or the capture is over.
void wait_in_capture(Queue& queue, const Ticket& ticket);

}  // namespace td::sim
