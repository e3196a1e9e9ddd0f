// A stream of sim: a thread that runs queued work in order. The backend enqueues kernels and
// events; transfer.cpp enqueues copies.
//
// Errors. Work that throws makes the stream *failed*: later work is not run, and an event recorded
// after it carries the failure to the streams that wait for it. The next synchronization of a
// failed stream throws the failure, and the stream can be used again. (CUDA's asynchronous errors
// end the whole context; here a learner can continue.)
//
// Invariant: an entry is complete in the ring before the thread reads it, and only the thread
// accesses failure_.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sim/vector_clock.h"
#include "td/base/host_memory.h"
#include "td/base/objects.h"
#include "td/device/device.h"
#include "td/device/record.h"
#include "trace/recorder.h"

namespace td::sim {

class Capture;

using Clock = std::chrono::steady_clock;

/// Blocks until `value` is no longer `old`. Spins first, because the value often changes within
/// microseconds and sleeping costs several; yields meanwhile, because the other thread may need
/// this core.
inline void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  const auto begin = Clock::now();
  for (Clock::duration spent{}; spent < std::chrono::microseconds(20);
       spent = Clock::now() - begin) {
    for (int i = 0; i < 32; ++i) {
      if (value.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    if (spent > std::chrono::microseconds(3)) std::this_thread::yield();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

/// The message of an asynchronous error, shared by the streams that it reached; null: no error.
using Failure = std::shared_ptr<const std::string>;

/// The state of a recorded event: one point in one stream. Recording the event again makes a new
/// state, so that waits that are queued already keep their point. Invariant: a state is set exactly
/// once, by the stream that it was queued on.
class EventState : public RefCounted, public PooledObject {
 public:
  explicit EventState(bool captured = false) : captured_(captured) {}
  /// True for a CapturedEventState (capture.h), which is never set.
  bool captured() const { return captured_; }
  void set(Failure failure) {
    failure_ = std::move(failure);
    when_ = Clock::now();
    done_.store(1, std::memory_order_release);
    done_.notify_all();
  }
  bool done() const { return done_.load(std::memory_order_acquire) != 0; }
  void wait() const { wait_while(done_, 0); }
  /// The failure of the stream at this point, and the time; only when done.
  const Failure& failure() const { return failure_; }
  Clock::time_point when() const { return when_; }

 private:
  const bool captured_;
  std::atomic<std::uint32_t> done_{0};
  Failure failure_;
  Clock::time_point when_;
};

/// A host buffer for copies of pageable memory, and the event after which it is free.
struct BounceBuffer {
  std::unique_ptr<char[]> data;
  intrusive_ptr<EventState> in_use;
};

class StreamQueue {
 public:
  /// @param number of the stream on its device; 0 is the default stream.
  StreamQueue(int index, int number);
  StreamQueue(const StreamQueue&) = delete;
  StreamQueue& operator=(const StreamQueue&) = delete;

  int index() const { return index_; }
  /// One entry: a head, and the argument of `run`, of `bytes` bytes.
  struct Item {
    const char* name;
    void (*run)(const void*);
    const void* work;
    std::size_t bytes;
    bool always;  ///< run it even when the stream has failed
  };
  /// `work` as an item. `Work` as in Record::set_work.
  template <class Work>
  static Item item_of(const char* name, const Work& work, bool always) {
    static_assert(std::is_trivially_copyable_v<Work> && alignof(Work) <= 16);
    return {name, [](const void* w) { (*static_cast<const Work*>(w))(); }, &work, sizeof work,
            always};
  }
  int number() const { return number_; }
  /// The value of Stream::native() for this stream.
  NativeStream* handle() const {
    return number_ == 0 ? nullptr : reinterpret_cast<NativeStream*>(const_cast<StreamQueue*>(this));
  }
  /// Enqueues a kernel; blocks only while the ring is full.
  void submit(const Record& record) {
    submit(Item{record.name, record.run, record.work, record.work_bytes, false});
  }
  /// Enqueues `work`, which also runs when the stream has failed.
  /// @param name for traces; without a name it is not shown.
  template <class Work>
  void submit_always(const Work& work, const char* name = "") {
    submit(item_of(name, work, true));
  }
  /// Records the point after all queued work. With `report`, the failure moves from the stream into
  /// the state. Not captured.
  intrusive_ptr<EventState> record_state(bool report = false);
  /// The same for an event; on a captured stream, a CapturedEventState.
  intrusive_ptr<EventState> record_event();
  /// Later work waits for the state.
  void wait_for(const intrusive_ptr<EventState>& state);
  /// Blocks the host. @throws AsyncError when the stream has failed.
  void synchronize();
  bool idle() const;

  /// Captures later work there instead of enqueueing it; nullptr ends that.
  void capture_into(Capture* capture);
  /// The capture; nullptr when the stream is not captured.
  Capture* capture() const { return capture_.load(std::memory_order_relaxed); }
  bool is_captured() const { return capture_.load(std::memory_order_relaxed) != nullptr; }
  /// Appends an item to `entries`, as run_entries reads them.
  static void append(std::vector<char>& entries, const Item& item);

  /// The queue of the calling thread; nullptr for other threads.
  static StreamQueue* of_this_thread();
  /// On the stream's thread: whether later work should run.
  bool working() const;
  /// On the stream's thread: runs the entries sequentially.
  void run_entries(const std::vector<char>& entries);
  /// On the stream's thread: the name of the current entry, or of the last one.
  const char* running() const { return running_; }
  /// On the stream's thread: the failure of the stream. The first one is the cause of the rest.
  ///@{
  const Failure& failure() const { return failure_; }
  void fail_with(const Failure& failure) {
    if (!failure_) failure_ = failure;
  }
  void forget_failure() { failure_.reset(); }
  ///@}
  /// On the stream's thread: the track and correlation of the current entry.
  trace::SpanTarget place() const { return {track_, correlation_}; }
  /// Ends the thread after the entries that always run. Later entries run in the calling thread.
  void begin_stop();
  void finish_stop();

  std::mutex bounce_mutex;  ///< held by the host thread that copies
  BounceBuffer bounce[2];

 private:
  struct Entry;
  void submit(const Item& item);
  void push(const Item& item);
  static std::size_t entry_bytes(const Item& item);
  static void write(char* place, const Item& item, std::uint32_t correlation);
  char* room_for(std::size_t bytes);
  void loop();
  void run(const Entry& entry);
  void fail(const char* what);

  const int index_, number_;
  const std::string name_;
  const std::uint32_t track_;      // of traces
  std::uint32_t correlation_ = 0;  // of the current entry
  const std::unique_ptr<char[]> ring_;
  // Positions only grow; the index in the ring is the position modulo its size. The host and the
  // thread write different cache lines.
  alignas(64) std::mutex submitting_;  // one host thread at a time writes the ring
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint32_t> pushes_{0};
  std::atomic<Capture*> capture_{nullptr};  // changes with submitting_ held
  bool closed_ = false;                     // guarded by submitting_: the thread has ended
  alignas(64) std::atomic<std::uint64_t> finished_{0};  // what the ring no longer needs
  std::atomic<std::uint64_t> done_{0};  // the same, and an event that is just being set
  std::uint64_t running_to_ = 0;        // the end of the current entry
  std::atomic<std::uint32_t> pops_{0};
  std::atomic<bool> stopping_{false};
  const char* running_ = "";
  Failure failure_;
  std::thread thread_;
};

/// Enqueues a copy, as Backend::copy (transfer.cpp). @throws AsyncError
void copy(StreamQueue& queue, void* to, Device to_device, const void* from, Device from_device,
          std::size_t bytes);
/// @throws AsyncError with the failure of a done state, if it has one.
void throw_failure(const EventState& state);
/// Returns a device's queue for a native handle; nullptr is the default stream, made at first use.
StreamQueue& queue_of(int index, NativeStream* stream);
/// Lends a queue to a graph, which returns it, because a queue exists until the process ends.
///@{
StreamQueue& borrow_queue(int index);
void return_queue(StreamQueue& queue);
///@}

}  // namespace td::sim
