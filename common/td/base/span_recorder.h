// Starts and stops the recording of spans, and what comes out: a Trace. Programs, tests and
// `--trace FILE` call it; chrome.h, overlap.h and picture.h read traces.
// Invariant: a span is in a trace whole or not at all; one that was open at start() or stop() is
// not.
#pragma once

#include <vector>

#include "td/base/span.h"

namespace td::trace {

/// Everything that was done between start() and stop(), as far as there was room.
struct Trace {
  std::vector<Row> rows;          ///< only those that have spans; the host's first
  std::vector<SpanRecord> spans;  ///< by their begin; of those that begin together, longer first
  std::int64_t begin = 0;         ///< start(), in nanoseconds of the steady clock
  std::int64_t end = 0;           ///< stop(), likewise
  std::int64_t unix_begin = 0;    ///< start(), in nanoseconds since 1970
  int rank = -1;                  ///< of this process in its job, where there is one: set_rank()
  std::uint64_t dropped = 0;      ///< spans there was no room for: a row holds 2^20

  /// Seconds between two points in time.
  static double seconds(std::int64_t from, std::int64_t to) {
    return 1e-9 * static_cast<double>(to - from);
  }
};

/// From now on spans are kept. Recordings nest: a program may look at one step of its own while
/// `--trace` records it as a whole.
void start();
/// Waits for the devices and hands out what was kept since the last start(), which it ends.
Trace stop();
/// From now on traces carry this process's number among those of a job.
void set_rank(int rank);
/// Calls `f` at the start of every stop(): devices wait there for queued work. Never undone.
void at_stop(void (*f)());

}  // namespace td::trace
