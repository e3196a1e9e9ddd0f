// A stream of sim: a thread that runs what was queued, in order. The backend queues records and
// marks; transfer.cpp queues copies.
//
// Errors. A record that throws makes the stream *failed*: what is queued behind it is not run, and
// an event recorded behind it carries the failure to the streams that wait for it. The next
// synchronization of a failed stream throws the failure and the stream works again. (CUDA's errors
// of this kind end the whole context; here a learner can go on.)
//
// Invariant: entries are copied whole into the ring before the thread sees them, and only the
// thread touches failure_.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sim/ticket.h"
#include "td/device/record.h"
#include "td/base/span.h"

namespace td::sim {

class Capture;

/// A host buffer through which pageable copies go, and when it is free again.
struct Bounce {
  std::unique_ptr<char[]> data;
  intrusive_ptr<Ticket> in_use;
};

class Queue {
 public:
  /// @param number of the stream on its device; 0 is the default stream.
  Queue(int index, int number);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  int index() const { return index_; }
  /// One thing to do: a head, and work of `bytes` bytes for `run`.
  struct Item {
    const char* name;
    void (*run)(const void*);
    const void* work;
    std::size_t bytes;
    bool always;  ///< it also runs when the stream has failed
  };
  /// `work` as an item. `Work` as in Record::set_work.
  template <class Work>
  static Item item_of(const char* name, const Work& work, bool always) {
    static_assert(std::is_trivially_copyable_v<Work> && alignof(Work) <= 16);
    return {name, [](const void* w) { (*static_cast<const Work*>(w))(); }, &work, sizeof work,
            always};
  }
  int number() const { return number_; }
  /// What Stream::native() is for this stream.
  void* handle() const { return number_ == 0 ? nullptr : const_cast<Queue*>(this); }
  /// Queues a record; blocks only while the ring is full.
  void submit(const Record& record) {
    submit(Item{record.name, record.run, record.work, record.work_bytes, false});
  }
  /// Queues `work`, which also runs when the stream has failed.
  /// @param name what traces call it; they leave out what has none.
  template <class Work>
  void submit_always(const Work& work, const char* name = "") {
    submit(item_of(name, work, true));
  }
  /// A ticket for the point that the queue has been asked to reach. With `report`, the failure goes
  /// into the ticket and leaves the stream. What is captured does not come into it.
  intrusive_ptr<Ticket> mark(bool report = false);
  /// The same for an event; of a captured stream, a CapturedTicket.
  intrusive_ptr<Ticket> mark_for_event();
  /// What is queued from now on waits for the ticket.
  void wait_for(const intrusive_ptr<Ticket>& ticket);
  /// Blocks the host. @throws AsyncError when the stream has failed.
  void synchronize();
  bool idle() const;

  /// From now on what is queued is written down there instead; nullptr ends that.
  void capture_into(Capture* capture);
  /// What it is captured into; nullptr when it is not.
  Capture* capture() const { return capture_.load(std::memory_order_relaxed); }
  bool is_captured() const { return capture_.load(std::memory_order_relaxed) != nullptr; }
  /// Appends an item to `entries`, as run_entries reads them.
  static void append(std::vector<char>& entries, const Item& item);

  /// The queue whose thread this is; nullptr for other threads.
  static Queue* of_this_thread();
  /// On the stream's thread: whether work should still be done.
  bool working() const;
  /// On the stream's thread: runs the entries one after the other.
  void run_entries(const std::vector<char>& entries);
  /// On the stream's thread: why the stream has failed, if it has; and its change.
  ///@{
  const intrusive_ptr<Failure>& failure() const { return failure_; }
  void fail_with(const intrusive_ptr<Failure>& failure) {
    if (!failure_) failure_ = failure;
  }
  void forget_failure() { failure_.reset(); }
  ///@}
  /// On the stream's thread: where a trace draws the entry that is being run.
  trace::Place place() const { return {row_, correlation_}; }
  /// Runs what is queued without its records and ends the thread. Later entries run at once.
  void begin_stop();
  void finish_stop();

  std::mutex bounce_mutex;  ///< held by the host thread that is copying
  Bounce bounce[2];

 private:
  struct Entry;
  void submit(const Item& item);
  void push(const Item& item);
  static std::size_t entry_bytes(const Item& item);
  static void write(char* place, const Item& item, std::uint32_t correlation);
  char* room_for(std::size_t bytes);
  void loop();
  void run(const Entry& entry);
  void fail_with(const char* name, const char* what);

  const int index_, number_;
  const std::string name_;
  const std::uint32_t row_;        // of traces
  std::uint32_t correlation_ = 0;  // of the entry that is being run
  const std::unique_ptr<char[]> ring_;
  // Positions only grow; the place in the ring is the position modulo its size. What the host
  // writes and what the thread writes lie in different cache lines.
  alignas(64) std::mutex submitting_;  // one host thread at a time writes the ring
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint32_t> pushes_{0};
  std::atomic<Capture*> capture_{nullptr};  // changes with submitting_ held
  bool closed_ = false;                     // guarded by submitting_: the thread has ended
  alignas(64) std::atomic<std::uint64_t> finished_{0};
  std::atomic<std::uint32_t> pops_{0};
  std::atomic<bool> stopping_{false};
  intrusive_ptr<Failure> failure_;
  std::thread thread_;
};

/// Throws what a done ticket carries. @throws AsyncError
void throw_failure(const Ticket& ticket);
/// A device's queue by its native handle; nullptr is the default stream, made at first use.
Queue& queue_of(int index, void* stream);

}  // namespace td::sim
