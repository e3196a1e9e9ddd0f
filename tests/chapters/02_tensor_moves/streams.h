// Helpers for streams in the tests of chapter 02: work that a test holds up, a slow link, and the
// transfers of a piece of code. Only sim streams are held up: there a test decides when work
// continues, so that no test depends on timing.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "check_tensors.h"
#include "sim/sim.h"
#include "td/device/backend.h"

/// Holds a sim stream up until open() is called, or until the time is over: a wrong answer must not
/// hang. Take a long time where the verdict depends on it, as on passed().
class Gate {
 public:
  explicit Gate(const td::Stream& stream, int most_ms = 300) : stream_(stream) {
    td::Record record("gate");
    record.set_work(Work{&open_, &passed_, most_ms});
    td::backend(td::kSIM).submit(record, stream.device().index(), stream.native());
  }
  ~Gate() {
    open();
    stream_.synchronize();  // the work reads open_
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  void open() { open_ = true; }
  /// Whether the stream has gone on, which without open() means that the time is over.
  bool passed() const { return passed_; }

 private:
  struct Work {
    const std::atomic<bool>* open;
    std::atomic<bool>* passed;
    int most_ms;
    void operator()() const {
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(most_ms);
      while (!*open && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      *passed = true;
    }
  };
  td::Stream stream_;
  std::atomic<bool> open_{false}, passed_{false};
};

/// The link at a speed at which a transfer takes 50 ms and more, until the end of the scope.
class SlowLink {
 public:
  SlowLink() : before_(td::sim::link()) { td::sim::set_link({1.0, 50e3}); }
  ~SlowLink() { td::sim::set_link(before_); }
  SlowLink(const SlowLink&) = delete;
  SlowLink& operator=(const SlowLink&) = delete;

 private:
  td::sim::Link before_;
};

/// Turns the race finder of sim on: it finds a missing wait even when the accesses did not overlap.
class RaceFinder {
 public:
  RaceFinder() {
    td::sim::find_races(true);
    td::sim::take_races();
  }
  ~RaceFinder() { td::sim::find_races(false); }
  RaceFinder(const RaceFinder&) = delete;
  RaceFinder& operator=(const RaceFinder&) = delete;

  void expect_none(const std::string& what) const {
    std::string text;
    for (const td::sim::Race& race : td::sim::take_races()) text += race.text + '\n';
    check::expect(text.empty(), what + ":\n" + text);
  }
};

/// The copies between devices that a piece of code makes.
struct Transfers {
  int count = 0;
  std::size_t bytes = 0;
  std::string stream{};  ///< the last one's: "stream 7 of sim:0"

  std::string text() const {
    return std::to_string(count) + (count == 1 ? " transfer of " : " transfers of ") +
           std::to_string(bytes) + " bytes";
  }
};

/// Runs `work`, waits for the devices, and returns the copies that crossed a link, by a trace.
template <class Work>
Transfers transfers_of(Work&& work) {
  td::trace::start();
  try {
    work();
  } catch (...) {
    td::trace::stop();
    throw;
  }
  Transfers transfers;
  const td::trace::Trace trace = td::trace::stop();
  for (const auto& span : trace.spans) {
    if (span.category != td::trace::Category::kCopy ||
        std::string(span.name).find("DtoD") != std::string::npos)
      continue;
    const td::trace::Track& track = trace.tracks[span.track];
    ++transfers.count, transfers.bytes += span.bytes;
    transfers.stream = track.name + " of " + track.device;
  }
  return transfers;
}

/// Fails unless there are as many transfers and bytes as expected.
inline void expect_transfers(const Transfers& got, int count, std::size_t bytes,
                             const std::string& what) {
  check::expect(
      got.count == count && got.bytes == bytes,
      what + ": expected " + Transfers{count, bytes}.text() + ", there were " + got.text());
}

inline void need_two() {
  if (td::device_count(td::kSIM) < 2) check::skip("needs two sim devices: TD_SIM_DEVICES=2");
}
