// What an event stands for: one point in one stream. Re-recording an event makes a new ticket, so
// that waits already queued keep the point they saw. Invariant: a ticket is set exactly once, by
// the stream it was queued on.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "td/base/intrusive_ptr.h"
#include "td/base/host_memory.h"

namespace td::sim {

using Clock = std::chrono::steady_clock;

/// Waits until `value` is no longer `old`. Looks for a while first, since what is waited for often
/// comes within microseconds, and sleeping and waking costs several; yields in between, since whom
/// it waits for may need this very core.
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

/// An error of queued work, shared by the streams that it reached.
struct Failure : RefCounted {
  explicit Failure(std::string message) : text(std::move(message)) {}
  const std::string text;
};

class Ticket : public RefCounted, public Slabbed {
 public:
  explicit Ticket(bool captured = false) : captured_(captured) {}
  /// True for a CapturedTicket (capture.h), a point of a graph; it is never set.
  bool captured() const { return captured_; }
  void set(intrusive_ptr<Failure> failure) {
    failure_ = std::move(failure);
    when_ = Clock::now();
    done_.store(1, std::memory_order_release);
    done_.notify_all();
  }
  bool done() const { return done_.load(std::memory_order_acquire) != 0; }
  void wait() const { wait_while(done_, 0); }
  /// Why the stream had failed by then, and the time; only when done.
  const intrusive_ptr<Failure>& failure() const { return failure_; }
  Clock::time_point when() const { return when_; }

 private:
  const bool captured_;
  std::atomic<std::uint32_t> done_{0};
  intrusive_ptr<Failure> failure_;
  Clock::time_point when_;
};

}  // namespace td::sim
