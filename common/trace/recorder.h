// Starts and stops the recording of spans; the result is a Trace. Programs, tests and `--trace
// FILE` start it; devices and process groups add their tracks. Invariant: a trace has complete
// spans only; a span that was open at start() or stop() is not in it. A recorded span takes no lock
// and allocates nothing, except for the first span of a thread.
#pragma once

#include <string>
#include <vector>

#include "td/base/span.h"

namespace td::trace {

/// What a track shows. A kQueue is a work queue of a process group.
enum class TrackKind : std::uint8_t { kThread, kQueue, kStream, kEngine };

/// A line of the timeline: a thread, queue, stream or engine that works sequentially.
struct Track {
  TrackKind kind = TrackKind::kThread;  ///< what it shows
  std::string device;  ///< "sim:0"; empty for threads and work queues, which are the host's
  int number = 0;      ///< of the thread (as the system counts), stream or engine
  std::string name;    ///< "main", "loader 1", "stream 2", "copy engine HtoD"
};

/// The spans between start() and stop().
struct Trace {
  std::vector<Track> tracks;      ///< only those that have spans; the host's first
  std::vector<SpanRecord> spans;  ///< sorted by begin; of equal ones, the longer first
  std::int64_t begin = 0;         ///< start(), in nanoseconds of the steady clock
  std::int64_t end = 0;           ///< stop(), likewise
  std::int64_t unix_begin = 0;    ///< start(), in nanoseconds since 1970
  int rank = -1;                  ///< of this process in its job, if it has one: set_rank()
  std::uint64_t dropped = 0;      ///< spans that did not fit: a thread stores 2^20

  /// Returns the seconds between two points in time.
  static double seconds(std::int64_t from, std::int64_t to) {
    return 1e-9 * static_cast<double>(to - from);
  }
};

/// Begins a recording. Recordings nest: a program may record one of its steps while `--trace`
/// records all of it.
void start();
/// Blocks until the devices are done, ends the innermost recording and returns it.
Trace stop();
/// Sets the rank of this process, which traces carry.
void set_rank(int rank);
/// Registers `f` for the start of every stop(): devices wait there for queued work. Cannot be
/// undone.
void at_stop(void (*f)());

/// Adds a track for the lifetime of the process and returns its number. Thread-safe.
std::uint32_t add_track(Track track);
/// Returns a number that connects a launch with its work; never 0.
std::uint32_t next_correlation();
/// Returns nanoseconds of the clock that all spans use.
std::int64_t now();
/// Stores a finished span, for work whose times are known only later.
void keep(const SpanRecord& span);

/// The track of a span that is not shown in the track of the calling thread.
struct SpanTarget {
  std::uint32_t track = 0;        ///< from add_track; 0: the calling thread's
  std::uint32_t correlation = 0;  ///< see SpanRecord
};

/// A Span of a device or of a work queue, or of the launch that caused it. Without a name (""), it
/// is not stored.
class TargetSpan {
 public:
  TargetSpan(SpanTarget target, const char* name, Category category, std::uint64_t bytes = 0) {
    record_.begin = 0;
    if (is_on() && *name) [[unlikely]]
      record_ = {name, now(), 0, bytes, target.track, target.correlation, category};
  }
  ~TargetSpan() {
    if (record_.begin == 0) [[likely]]
      return;
    record_.end = now();
    if (is_on()) keep(record_);
  }
  TargetSpan(const TargetSpan&) = delete;
  TargetSpan& operator=(const TargetSpan&) = delete;

 private:
  SpanRecord record_;  // begin is 0 while it is not recorded
};

/// Receives the spans of this process, for example for a profiler's ranges.
struct Listener {
  void (*begin)(const char* name);  ///< in the thread whose span it is
  void (*end)();                    ///< likewise; ends the innermost span
};
/// Calls `listener` for every Span. Call it before threads start.
void set_listener(const Listener* listener);

}  // namespace td::trace
