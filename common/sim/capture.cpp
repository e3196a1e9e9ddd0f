// Captures and launches. During a capture, each branch has a vector clock of all branches: at the
// end, all work must come before the end of the origin.
#include "sim/capture.h"

#include <map>

#include "sim/race_finder.h"
#include "sim/settings.h"
#include "td/base/error.h"
#include "td/device/backend.h"
#include "td/device/graph.h"

namespace td::sim {
namespace {

thread_local std::uint32_t launch_of_thread = 0;  // the number of the launch that is running

/// Appends a call of Edge::pass or Edge::wait, which also happens when the stream has failed.
template <void (Edge::*call)()>
void append(std::vector<char>& entries, Edge& edge) {
  const auto work = [e = &edge] { (e->*call)(); };
  StreamQueue::append(entries, StreamQueue::item_of("", work, true));
}

}  // namespace

void Edge::pass() {
  if (const StreamQueue* queue = StreamQueue::of_this_thread()) failure = queue->failure();
  launch.store(launch_of_thread, std::memory_order_release);
  launch.notify_all();
}

void Edge::wait() {
  wait_while(launch, launch_of_thread - 1);
  if (failure) StreamQueue::of_this_thread()->fail_with(failure);
}

Capture::Capture(StreamQueue& origin) { branch_of(origin); }

Capture::~Capture() {
  if (RaceFinder* finder = RaceFinder::active()) finder->forget(*this);
  for (Branch& branch : branches_)
    if (branch.own) return_queue(*branch.own);
}

/// The branch of a captured queue; a queue without one gets one. For the holder of mutex_.
Capture::Branch& Capture::branch_of(StreamQueue& queue) {
  for (Branch& branch : branches_)
    if (branch.captured == &queue) return branch;
  return branches_.emplace_back(Branch{&queue, branches_.size()});
}

void Capture::add(StreamQueue& queue, const StreamQueue::Item& item) {
  std::lock_guard lock(mutex_);
  Branch& branch = branch_of(queue);
  StreamQueue::append(branch.entries, item);
  ++branch.size;
}

intrusive_ptr<EventState> Capture::record_state(StreamQueue& queue) {
  std::lock_guard lock(mutex_);
  Branch& branch = branch_of(queue);
  Edge& edge = edges_.emplace_back();
  append<&Edge::pass>(branch.entries, edge);
  branch.before.raise(branch.number, branch.size);
  edge.before = branch.before;
  return make_intrusive<CapturedEventState>(intrusive_ptr<Capture>(this), edge);
}

void Capture::wait(StreamQueue& queue, Edge& edge) {
  {
    std::lock_guard lock(mutex_);
    if (finished_) refuse_captured_event();
    Branch& branch = branch_of(queue);
    append<&Edge::wait>(branch.entries, edge);
    branch.before.join(edge.before);
  }
  queue.capture_into(this);
}

void Capture::finish() {
  for (Branch& branch : branches_) branch.captured->capture_into(nullptr);
  std::lock_guard lock(mutex_);
  finished_ = true;
  for (std::size_t i = 1; i < branches_.size(); ++i)
    TD_CHECK(DeviceError, branches_[0].before[i] == branches_[i].size,
             "capture_end: a stream of sim:", branches_[i].captured->index(),
             " joined the capture by waiting for an event, and the captured stream does not wait "
             "for its last work. Before the end, record an event there and let the captured stream "
             "wait for it: stream.wait(side).");
  join_branches();
}

/// Orders the end of a launch after the end of every branch, so that no branch is running at the
/// next launch or when the graph is destroyed.
void Capture::join_branches() {
  for (std::size_t i = 1; i < branches_.size(); ++i) {
    Edge& end = edges_.emplace_back();
    append<&Edge::pass>(branches_[i].entries, end);
    append<&Edge::wait>(branches_[0].entries, end);
    branches_[i].own = &borrow_queue(branches_[i].captured->index());
  }
}

std::size_t Capture::size() const {
  std::size_t size = 0;
  for (const Branch& branch : branches_) size += branch.size;
  return size;
}

void Capture::launch(StreamQueue& queue) {
  std::lock_guard lock(launching_);
  ++launches_;
  for (std::size_t i = 0; i < branches_.size(); ++i) retain();  // run releases it
  for (std::size_t i = branches_.size(); i-- > 0;) {
    StreamQueue& runs_it = i == 0 ? queue : *branches_[i].own;
    runs_it.submit_always([this, i, launch = launches_] { run(i, launch); }, "graph");
  }
}

void Capture::run(std::size_t branch, std::uint32_t launch) {
  // A stream that waited for this branch may release the graph before this function returns.
  const auto self = intrusive_ptr<Capture>::adopt(this);
  launch_of_thread = launch;
  StreamQueue* queue = StreamQueue::of_this_thread();
  if (!queue) {  // the process is ending without the queue's thread: pass all edges
    for (Edge& edge : edges_) edge.pass();
    return;
  }
  queue->run_entries(branches_[branch].entries);
  // The failure has reached the stream of the launch; this queue is never synchronized.
  if (branch > 0) queue->forget_failure();
}

void wait_in_capture(StreamQueue& queue, const EventState& state) {
  TD_CHECK(DeviceError, state.captured(), "wait: the stream of sim:", queue.index(),
           " is being captured, and the event was recorded outside of the capture: a replay could "
           "not wait for it. Let the stream wait for it before the capture begins, or before each "
           "replay.");
  const auto& point = static_cast<const CapturedEventState&>(state);
  point.capture->wait(queue, point.edge);
}

namespace {

/// The graphs of sim for device/graph.cpp. A handle is a Capture with one reference.
Capture& capture_of(NativeGraph* graph) { return *reinterpret_cast<Capture*>(graph); }

class SimGraphs : public GraphBackend {
 public:
  void begin_capture(int index, NativeStream* stream) override {
    StreamQueue& queue = queue_of(index, stream);
    TD_CHECK(DeviceError, !queue.is_captured(), "capture_begin: the stream of sim:", index,
             " is being captured already, by another thread or as a side stream; take another "
             "stream from the pool.");
    auto capture = make_intrusive<Capture>(queue);
    queue.capture_into(capture.get());
    std::lock_guard lock(mutex_);
    underway_[&queue] = std::move(capture);
  }

  NativeGraph* end_capture(int index, NativeStream* stream, std::size_t* nodes) override {
    StreamQueue& queue = queue_of(index, stream);
    std::unique_lock lock(mutex_);
    intrusive_ptr<Capture> capture = std::move(underway_.extract(&queue).mapped());
    lock.unlock();
    capture->finish();
    *nodes = capture->size();
    return reinterpret_cast<NativeGraph*>(capture.detach());
  }

  void launch(NativeGraph* graph, int index, NativeStream* stream) override {
    spend_launch_cost();
    if (RaceFinder* finder = RaceFinder::active())
      finder->launched(queue_of(index, stream), capture_of(graph));
    capture_of(graph).launch(queue_of(index, stream));
  }

  void release(NativeGraph* graph, int) noexcept override { capture_of(graph).release(); }

 private:
  std::mutex mutex_;  // guards underway_
  std::map<StreamQueue*, intrusive_ptr<Capture>> underway_;
};

}  // namespace

GraphBackend& graphs() {
  static SimGraphs& instance = *new SimGraphs;
  return instance;
}

}  // namespace td::sim
