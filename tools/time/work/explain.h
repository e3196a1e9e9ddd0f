// Where the time of a step goes, read from td's trace. worker.cpp and ranks.cpp call explain_job;
// explain_trace alone decides which moment counts as what.
// Invariant: each moment of a step counts once, so the five parts add up to the step.
#pragma once

#include <string>

#include "measure.h"
#include "trace/recorder.h"

namespace timing {

/// Seconds per step. For the one device of the trace that computes longest:
struct Parts {
  double step = 0;           ///< from the start of a step to the start of the next
  double compute = 0;        ///< one of its kernels runs; on cpu: an operation
  double communication = 0;  ///< no kernel, but a collective or a copy from device to device
  double copy = 0;           ///< none of these, but a copy between host and device
  double launch = 0;         ///< none of these: the host has not launched the next work yet; on
                             ///< cpu: the host's own work between two operations
  double wait = 0;           ///< the rest: host or stream wait for a result, for other devices
};

/// Reads the spans between two times of the trace's clock, which are the start of the first and the
/// end of the last of `steps` steps.
/// @param kind the devices that are meant: "cpu", "sim", "cuda".
Parts explain_trace(const td::trace::Trace& trace, const std::string& kind, std::int64_t begin,
                    std::int64_t end, int steps);

/// Records some steps with transfers. Warms the job up first.
Parts explain_job(Job& job, const std::string& kind, const Agreement& ranks = {});

}  // namespace timing
