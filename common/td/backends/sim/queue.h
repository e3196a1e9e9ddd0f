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

#include "td/backends/sim/ticket.h"
#include "td/device/record.h"

namespace td::sim {

/// A host buffer through which pageable copies go, and when it is free again.
struct Bounce {
  std::unique_ptr<char[]> data;
  intrusive_ptr<Ticket> in_use;
};

class Queue {
 public:
  Queue(int index, std::string name);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  int index() const { return index_; }
  /// Queues a record; blocks only while the ring is full.
  void submit(const Record& record) {
    push(record.name, record.run, record.work, record.work_bytes, false);
  }
  /// Queues `work`, which also runs when the stream has failed. `Work` as in Record::set_work.
  template <class Work>
  void submit_always(const Work& work) {
    static_assert(std::is_trivially_copyable_v<Work> && alignof(Work) <= 16);
    push(
        "", [](const void* w) { (*static_cast<const Work*>(w))(); }, &work, sizeof work, true);
  }
  /// A ticket for the point that the queue has been asked to reach. With `report`, the failure goes
  /// into the ticket and leaves the stream.
  intrusive_ptr<Ticket> mark(bool report = false);
  /// What is queued from now on waits for the ticket.
  void wait_for(const intrusive_ptr<Ticket>& ticket);
  /// Blocks the host. @throws AsyncError when the stream has failed.
  void synchronize();
  bool idle() const;

  /// On the stream's thread: whether work should still be done.
  bool working() const;
  /// Runs what is queued without its records and ends the thread. Later entries run at once.
  void begin_stop();
  void finish_stop();

  std::mutex bounce_mutex;  ///< held by the host thread that is copying
  Bounce bounce[2];

 private:
  struct Entry;
  void push(const char* name, void (*run)(const void*), const void* work, std::size_t bytes,
            bool always);
  char* room_for(std::size_t bytes);
  void loop();
  void run(const Entry& entry);
  void fail_with(const char* name, const char* what);

  const int index_;
  const std::string name_;
  const std::unique_ptr<char[]> ring_;
  // Positions only grow; the place in the ring is the position modulo its size. What the host
  // writes and what the thread writes lie in different cache lines.
  alignas(64) std::mutex submitting_;  // one host thread at a time writes the ring
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint32_t> pushes_{0};
  bool closed_ = false;  // guarded by submitting_: the thread has ended
  alignas(64) std::atomic<std::uint64_t> finished_{0};
  std::atomic<std::uint32_t> pops_{0};
  std::atomic<bool> stopping_{false};
  intrusive_ptr<Failure> failure_;
  std::thread thread_;
};

/// Throws what a done ticket carries. @throws AsyncError
void throw_failure(const Ticket& ticket);

}  // namespace td::sim
