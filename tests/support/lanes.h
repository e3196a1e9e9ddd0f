// What tests of exercises with streams share (chapters 08 and 09): gates that hold a stream, so
// that order is tested and not time, and a link that is slow on purpose. A gate opens by itself
// after a while, so a wrong answer that waits for a held stream continues, is detected, and
// ends.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "check_tensors.h"
#include "sim/sim.h"
#include "td/device/backend.h"

inline const td::Device kSim("sim:0");

/// Time in which something that must not happen would have happened.
inline void give_it_time() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

/// Queues `work`, a trivially copyable function object.
template <class Work>
void launch(const td::Stream& stream, const Work& work) {
  td::Record record("gate");
  record.set_work(work);
  td::backend(td::kSIM).submit(record, stream.device().index(), stream.native());
}

/// Holds streams that reach it until open(), or until its time is over.
class Gate {
 public:
  explicit Gate(double seconds = 2) : seconds_(seconds) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    open();
    while (passed_ < holds_) std::this_thread::yield();
  }
  void hold(const td::Stream& stream) {
    ++holds_;
    launch(stream, [gate = this] {
      const auto start = std::chrono::steady_clock::now();
      while (!gate->open_) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        const std::chrono::duration<double> held = std::chrono::steady_clock::now() - start;
        if (held.count() <= gate->seconds_) continue;
        gate->expired_ = true;  // first: a thread that sees it open must see why
        gate->open_ = true;
      }
      ++gate->passed_;
    });
  }
  void open() { open_ = true; }
  bool is_open() const { return open_; }
  /// The test did not open it, so some code waited for it.
  bool has_expired() const { return expired_; }

 private:
  const double seconds_;
  std::atomic<bool> open_{false}, expired_{false};
  std::atomic<int> passed_{0};
  int holds_ = 0;
};

/// A gate that opens by itself soon, for code that must wait for it.
constexpr double kSoon = 0.05;

/// A separate link for one test.
struct LinkOf {
  explicit LinkOf(td::sim::Link link) : before(td::sim::link()) { td::sim::set_link(link); }
  ~LinkOf() { td::sim::set_link(before); }
  td::sim::Link before;
};
