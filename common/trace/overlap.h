// How much of the copying a program hid behind its computing. Chapter 08's program prints it.
// Invariant: only what streams and copy engines did counts; what the host did does not.
#pragma once

#include "td/base/span_recorder.h"

namespace td::trace {

/// The three times that overlap is judged by, in seconds.
struct OverlapTimes {
  double serial = 0;    ///< what copies and kernels took, one behind the other
  double bound = 0;     ///< what the busiest one took: the computing, or one direction of copies
  double measured = 0;  ///< from the begin of the first to the end of the last
  /// (serial - measured) / (serial - bound): 1 when nothing waited for anything, 0 when all ran one
  /// behind the other. NaN when only one worked, since there was nothing to overlap.
  double efficiency() const;
};

/// Of all devices of the trace. Kernels of one device that ran beside each other count once.
OverlapTimes overlap_times(const Trace& trace);
/// overlap_times(trace).efficiency()
double overlap(const Trace& trace);

}  // namespace td::trace
