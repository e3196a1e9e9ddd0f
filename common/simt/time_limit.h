// The time that a block's threads may take until one of them ends. A loop that waits for a value
// that nobody writes, or that has no end, is then reported instead of hanging the process. On a GPU
// with a display such a launch ends with cudaErrorLaunchTimeout. Used by the machine, one per OS
// thread.
//
// Invariant: counts the processor time of the OS thread, so that a busy machine ends no launch.
#pragma once

#include <atomic>
#include <ctime>

namespace td::simt {

class TimeLimit {
 public:
  ~TimeLimit();
  /// The limit for usual launches: TD_SIM_TIME_LIMIT seconds, or 10; 0: none.
  static double usual_seconds();
  /// Begins to count. The timer goes on after a launch, because setting it takes a microsecond.
  void start(double seconds);
  /// A thread has ended.
  void restart() {
    ticks_.store(0, std::memory_order_relaxed);
    is_over_.store(false, std::memory_order_relaxed);
  }
  bool is_over() const { return is_over_.load(std::memory_order_relaxed); }
  double seconds() const { return most_ticks_ * kTick; }
  /// Whether it has counted so many seconds.
  bool has_lasted(double seconds) const {
    return ticks_.load(std::memory_order_relaxed) * kTick >= seconds;
  }
  /// Called by the timer's signal. Async-signal-safe.
  void tick() {
    const int ticks = ticks_.load(std::memory_order_relaxed) + 1;
    ticks_.store(ticks, std::memory_order_relaxed);
    if (ticks >= most_ticks_) is_over_.store(true, std::memory_order_relaxed);
  }

 private:
  static constexpr double kTick = 0.1;  // seconds
  void set_timer();

  std::atomic<int> ticks_{0};
  std::atomic<bool> is_over_{false};
  int most_ticks_ = 1;
  bool has_timer_ = false;
  timer_t timer_{};
};

}  // namespace td::simt
