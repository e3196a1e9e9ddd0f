// Graphs as objects: their states, their memory, and what a capture rejects. The backends hold the
// captured work. Invariant: capturing_graph() is this thread's graph in State::kCapturing.
#include "td/device/graph.h"

#include <mutex>
#include <utility>

#include "td/base/error.h"
#include "td/device/backend.h"
#include "td/device/caching_allocator.h"

namespace td {

std::atomic<int> captures_underway{0};

void fail_in_capture(const char* what, const char* cure) {
  fail<DeviceError>(what, ": not while a graph is captured. ", cure);
}

void refuse_captured_stream(DeviceType type, int index) {
  fail<DeviceError>("synchronize: a stream of ", Device(type, index),
                    " is being captured by another thread. What is captured does not run, so there "
                    "is nothing to wait for; wait after the capture.");
}

void refuse_captured_event() {
  fail<DeviceError>(
      "the event was recorded while a graph was captured, so it marks a point of "
      "the graph and not of a stream. Record it again after the replay.");
}

GraphBackend& graph_backend(DeviceType type) {
  if (GraphBackend* graphs = backend(type).graphs()) return *graphs;
  fail<DeviceError>(
      "capture: ", device_type_name(type),
      " has no graphs: its work is done when a call returns, so there are no launches "
      "to save. Capture on a stream of sim or cuda.");
}

namespace {

/// The stream that a capture without a named one is for: that of the best kind of device whose
/// current stream can be captured.
Stream current_stream_to_capture() {
  for (int type = kDeviceTypes - 1; type > 0; --type) {
    if (device_count(static_cast<DeviceType>(type)) == 0) continue;
    const Stream stream = getCurrentStream(static_cast<DeviceType>(type));
    if (stream.native()) return stream;
  }
  return getCurrentStream(preferred_accelerator());
}

}  // namespace

namespace {

/// The work of a graph that is no longer needed.
struct CapturedWork {
  NativeGraph* native;
  Stream last;         // of its last replay
  std::uint64_t pool;  // its memory

  /// Waits for the last replay, and releases the work and its memory.
  void release() const noexcept {
    const Device device = last.device();
    try {
      Event done(device.type());
      done.record(last);
      done.synchronize();
    } catch (const Error&) {  // the stream reports work that failed; it is done, too
    }
    graph_backend(device.type()).release(native, device.index());
    release_pool(device.type(), pool);
  }
};

/// Work of graphs that were destroyed while their thread captured another one.
class AbandonedWork {
 public:
  void add(const CapturedWork& work) {
    std::lock_guard lock(mutex_);
    all_.push_back(work);
  }
  void release_all() {
    std::unique_lock lock(mutex_);
    const auto all = std::exchange(all_, {});
    lock.unlock();
    for (const CapturedWork& work : all) work.release();
  }

 private:
  std::mutex mutex_;
  std::vector<CapturedWork> all_;
};

AbandonedWork& abandoned_work() {
  static auto& work = *new AbandonedWork;  // never destroyed: static graphs outlive main
  return work;
}

}  // namespace

Graph::~Graph() { give_up(); }

void Graph::capture_begin() { begin(current_stream_to_capture()); }

void Graph::begin(const Stream& stream) {
  TD_CHECK(DeviceError, !capturing_graph(), "capture_begin: this thread captures ",
           capturing_graph() == this ? "this graph already; call capture_end() first."
                                     : "another graph; end that capture first.");
  TD_CHECK(DeviceError, state_ == State::kNew,
           "capture_begin: the graph holds a capture already; call reset() first, or make another "
           "Graph.");
  TD_CHECK(DeviceError, stream.native(),
           "capture_begin: the current stream is the default stream of ", stream.device(),
           ", which cannot be captured: all threads share it. Make another one current first: "
           "StreamGuard guard(getStreamFromPool(\"",
           stream.device(), "\")).");
  ++captures_underway;  // first, so that no allocator's event gets into the graph
  try {
    graph_backend(stream.device().type()).begin_capture(stream.device().index(), stream.native());
  } catch (...) {
    --captures_underway;
    throw;
  }
  stream_ = last_ = stream;  // replays come after what the stream holds now
  state_ = State::kCapturing;
  static std::atomic<std::uint64_t> captures{0};
  capture_number_ = ++captures;
  context().underway.capture = this;
  memory_pool(stream.device().type()) = capture_number_;
}

void Graph::capture_end() {
  TD_CHECK(DeviceError, state_ == State::kCapturing && capturing_graph() == this,
           "capture_end: this thread does not capture this graph; call capture_begin() first, in "
           "the same thread.");
  end();
  if (size_ > 0) return;
  const Device device = stream_->device();
  give_up();
  fail<DeviceError>(
      "capture_end: the graph is empty. Nothing was queued on the captured stream of ", device,
      ": was the work queued on another stream, or in another thread?");
}

void Graph::end() {
  const Stream stream = *stream_;
  GraphBackend& graphs = graph_backend(stream.device().type());
  state_ = State::kNew;
  context().underway.capture = nullptr;
  memory_pool(stream.device().type()) = 0;
  try {
    native_ = graphs.end_capture(stream.device().index(), stream.native(), &size_);
  } catch (...) {
    --captures_underway;
    give_up();
    abandoned_work().release_all();
    throw;
  }
  --captures_underway;
  state_ = State::kReady;
  abandoned_work().release_all();
}

void Graph::capture(const Stream& stream, const std::function<void()>& work) {
  const StreamGuard guard(stream);
  graph_backend(stream.device().type());  // throws for a kind without graphs
  begin(stream);
  try {
    work();
  } catch (...) {
    give_up();
    throw;
  }
  capture_end();
}

void Graph::replay() {
  TD_CHECK(DeviceError, state_ != State::kCapturing,
           "replay: the graph is being captured; call capture_end() first.");
  TD_CHECK(DeviceError, state_ == State::kReady,
           "replay: the graph holds no work; capture some first, with capture() or between "
           "capture_begin() and capture_end().");
  if (capturing_graph())
    fail_in_capture("replay", "A graph cannot be part of another one. Replay it afterwards.");
  const Device device = stream_->device();
  const Stream stream = getCurrentStream(device);
  if (!(stream == *last_)) stream.wait(*last_);
  last_ = stream;
  for (auto& action : before_replay_) action();
  graph_backend(device.type()).launch(native_, device.index(), stream.native());
}

void Graph::before_replay(std::function<void()> action) {
  TD_CHECK(Error, state_ == State::kCapturing,
           "before_replay: the graph is not being captured; say it between capture_begin() and "
           "capture_end().");
  before_replay_.push_back(std::move(action));
}

void Graph::reset() {
  if (capturing_graph() && capturing_graph() != this)
    fail_in_capture("reset", "It would wait for the last replay. Do it after the capture.");
  give_up();
}

void Graph::give_up() noexcept {
  if (state_ == State::kCapturing) {
    try {
      end();
    } catch (const Error&) {
      return;  // an error of the capture no longer matters
    }
  }
  before_replay_.clear();  // what they hold may be memory of the graph
  if (state_ == State::kReady) {
    const CapturedWork work{native_, *last_, capture_number_};
    if (capturing_graph())  // waiting would invalidate the other capture
      abandoned_work().add(work);
    else
      work.release();
  } else if (stream_) {
    release_pool(stream_->device().type(), capture_number_);
  }
  state_ = State::kNew;
  size_ = 0;
  native_ = nullptr;
  stream_ = last_ = std::nullopt;
}

}  // namespace td
