// See capture.h. While a capture is under way, each branch knows how much of every other comes
// before it (a vector clock): at the end all of it must come before the end of the origin.
#include "sim/capture.h"

#include <algorithm>

#include "sim/race_finder.h"
#include "td/base/error.h"
#include "td/device/backend.h"
#include "td/device/capture.h"

namespace td::sim {
namespace {

thread_local std::uint32_t launch_of_thread = 0;  // the number of the launch that is running

// Queues of graphs that are gone, for the next ones: a queue lives as long as the process.
struct SpareQueues {
  std::mutex mutex;
  std::vector<Queue*> queues;
};

SpareQueues& spare_queues() {
  static SpareQueues& instance = *new SpareQueues;
  return instance;
}

Queue* take_queue(int index) {
  {
    SpareQueues& spare = spare_queues();
    std::lock_guard lock(spare.mutex);
    const auto found = std::find_if(spare.queues.begin(), spare.queues.end(),
                                    [index](const Queue* q) { return q->index() == index; });
    if (found != spare.queues.end()) {
      Queue* queue = *found;
      spare.queues.erase(found);
      return queue;
    }
  }
  return static_cast<Queue*>(backend(kSIM).new_stream(index, false));
}

void give_queue(Queue* queue) {
  SpareQueues& spare = spare_queues();
  std::lock_guard lock(spare.mutex);
  spare.queues.push_back(queue);
}

struct Pass {
  Edge* edge;
  void operator()() const { edge->pass(); }
};
struct Wait {
  Edge* edge;
  void operator()() const { edge->wait(); }
};
struct Run {
  Capture* capture;
  std::size_t branch;
  std::uint32_t launch;
  void operator()() const { capture->run(branch, launch); }
};

std::uint32_t& at(std::vector<std::uint32_t>& counts, std::size_t i) {
  if (counts.size() <= i) counts.resize(i + 1);
  return counts[i];
}

}  // namespace

void Edge::pass() {
  if (const Queue* queue = Queue::of_this_thread()) failure = queue->failure();
  launch.store(launch_of_thread, std::memory_order_release);
  launch.notify_all();
}

void Edge::wait() {
  wait_while(launch, launch_of_thread - 1);
  if (failure) Queue::of_this_thread()->fail_with(failure);
}

Capture::Capture(Queue& origin) { branch_of(origin); }

Capture::~Capture() {
  if (RaceFinder* finder = RaceFinder::active()) finder->forget(*this);
  for (Branch& branch : branches_)
    if (branch.own) give_queue(branch.own);
}

/// The branch of a captured queue; a queue without one gets one. For the holder of mutex_.
Capture::Branch& Capture::branch_of(Queue& queue) {
  for (Branch& branch : branches_)
    if (branch.captured == &queue) return branch;
  Branch& branch = branches_.emplace_back();
  branch.captured = &queue;
  branch.number = branches_.size() - 1;
  return branch;
}

void Capture::add(Queue& queue, const Queue::Item& item) {
  std::lock_guard lock(mutex_);
  Branch& branch = branch_of(queue);
  Queue::append(branch.entries, item);
  ++branch.size;
}

intrusive_ptr<Ticket> Capture::mark(Queue& queue) {
  std::lock_guard lock(mutex_);
  Branch& branch = branch_of(queue);
  Edge& edge = edges_.emplace_back();
  Queue::append(branch.entries, Queue::item_of("", Pass{&edge}, true));
  at(branch.before, branch.number) = branch.size;
  edge_before_.push_back(branch.before);
  return make_intrusive<CapturedTicket>(intrusive_ptr<Capture>(this), edges_.size() - 1);
}

void Capture::wait(Queue& queue, std::size_t edge) {
  {
    std::lock_guard lock(mutex_);
    if (finished_) refuse_captured_event();
    Branch& branch = branch_of(queue);
    Queue::append(branch.entries, Queue::item_of("", Wait{&edges_[edge]}, true));
    const auto& before = edge_before_[edge];
    for (std::size_t i = 0; i < before.size(); ++i)
      at(branch.before, i) = std::max(at(branch.before, i), before[i]);
  }
  queue.capture_into(this);
}

void Capture::finish() {
  for (std::size_t i = 0; i < branches_.size(); ++i) branches_[i].captured->capture_into(nullptr);
  std::lock_guard lock(mutex_);
  finished_ = true;
  for (std::size_t i = 1; i < branches_.size(); ++i)
    TD_CHECK(DeviceError, at(branches_[0].before, i) == branches_[i].size,
             "capture_end: a stream of sim:", branches_[i].captured->index(),
             " joined the capture by waiting for an event, and the captured stream does not wait "
             "for its last work. Before the end, record an event there and let the captured stream "
             "wait for it: stream.wait(side).");
  join_branches();
}

/// The end of a launch comes after the end of every branch, marks included, so that the next launch
/// or the graph's end finds none of it running.
void Capture::join_branches() {
  for (std::size_t i = 1; i < branches_.size(); ++i) {
    Edge& end = edges_.emplace_back();
    Queue::append(branches_[i].entries, Queue::item_of("", Pass{&end}, true));
    Queue::append(branches_[0].entries, Queue::item_of("", Wait{&end}, true));
    branches_[i].own = take_queue(branches_[i].captured->index());
  }
}

std::size_t Capture::size() const {
  std::size_t size = 0;
  for (const Branch& branch : branches_) size += branch.size;
  return size;
}

void Capture::launch(Queue& queue) {
  std::lock_guard lock(launching_);
  ++launches_;
  for (std::size_t i = 0; i < branches_.size(); ++i) retain();  // run lets go
  for (std::size_t i = 1; i < branches_.size(); ++i)
    branches_[i].own->submit_always(Run{this, i, launches_}, "graph");
  queue.submit_always(Run{this, 0, launches_}, "graph");
}

void Capture::run(std::size_t branch, std::uint32_t launch) {
  // The stream that waits for a branch goes on, and may let go of the graph, while the branch is
  // still on its way out.
  const auto self = intrusive_ptr<Capture>::adopt(this);
  launch_of_thread = launch;
  Queue* queue = Queue::of_this_thread();
  if (!queue) {  // the process is ending, and the queue's thread is gone: let no other wait for it
    for (Edge& edge : edges_) edge.pass();
    return;
  }
  queue->run_entries(branches_[branch].entries);
  // The failure has gone on to the stream that was launched on; here nobody would ask for it.
  if (branch > 0) queue->forget_failure();
}

void wait_in_capture(Queue& queue, const Ticket& ticket) {
  TD_CHECK(DeviceError, ticket.captured(), "wait: the stream of sim:", queue.index(),
           " is being captured, and the event was recorded outside of the capture: a replay could "
           "not wait for it. Let the stream wait for it before the capture begins, or before each "
           "replay.");
  const auto& mark = static_cast<const CapturedTicket&>(ticket);
  mark.capture->wait(queue, mark.edge);
}

}  // namespace td::sim
