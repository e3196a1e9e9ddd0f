// The state of a recorded event: one point in one stream. Recording the event again makes a new
// state, so that waits that are queued already keep their point. Invariant: a state is set exactly
// once, by the stream that it was queued on.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "td/base/objects.h"

namespace td::sim {

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

/// An asynchronous error, shared by the streams that it reached.
struct Failure : RefCounted {
  explicit Failure(std::string message) : text(std::move(message)) {}
  const std::string text;
};

class EventState : public RefCounted, public PooledObject {
 public:
  explicit EventState(bool captured = false) : captured_(captured) {}
  /// True for a CapturedEventState (capture.h), which is never set.
  bool captured() const { return captured_; }
  void set(intrusive_ptr<Failure> failure) {
    failure_ = std::move(failure);
    when_ = Clock::now();
    done_.store(1, std::memory_order_release);
    done_.notify_all();
  }
  bool done() const { return done_.load(std::memory_order_acquire) != 0; }
  void wait() const { wait_while(done_, 0); }
  /// The failure of the stream at this point, and the time; only when done.
  const intrusive_ptr<Failure>& failure() const { return failure_; }
  Clock::time_point when() const { return when_; }

 private:
  const bool captured_;
  std::atomic<std::uint32_t> done_{0};
  intrusive_ptr<Failure> failure_;
  Clock::time_point when_;
};

}  // namespace td::sim
