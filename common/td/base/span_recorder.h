// Starts and stops the recording of spans; the result is a Trace. Programs, tests and `--trace
// FILE` call it. Invariant: a trace has complete spans only; a span that was open at start() or
// stop() is not in it.
#pragma once

#include <vector>

#include "td/base/span.h"

namespace td::trace {

/// The spans between start() and stop().
struct Trace {
  std::vector<Track> tracks;      ///< only those that have spans; the host's first
  std::vector<SpanRecord> spans;  ///< sorted by begin; of equal ones, the longer first
  std::int64_t begin = 0;         ///< start(), in nanoseconds of the steady clock
  std::int64_t end = 0;           ///< stop(), likewise
  std::int64_t unix_begin = 0;    ///< start(), in nanoseconds since 1970
  int rank = -1;                  ///< of this process in its job, where there is one: set_rank()
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

}  // namespace td::trace
