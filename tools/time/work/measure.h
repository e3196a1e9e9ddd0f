// Times a job. worker.cpp calls it for the jobs of its own process, ranks.cpp in each rank of DDP.
// Invariant: turns with and without transfers alternate, so other load on the machine slows both
// alike; and every decision follows from agreed times, so all ranks make the same steps.
#pragma once

#include <functional>

#include "job.h"

namespace timing {

/// How all ranks agree on a number. For a job of one process each function returns its argument.
struct Agreement {
  std::function<double(double)> largest = [](double x) { return x; };  ///< over all ranks
  std::function<double(double)> sum = [](double x) { return x; };
};

/// All times are seconds.
struct Measurement {
  std::int64_t steps = 0;           ///< timed ones, without transfers
  double seconds_per_step = 0;      ///< the data is on the device; median of the turns
  double with_transfers = 0;        ///< it comes from host memory, and the result goes back
  double cpu_seconds_per_step = 0;  ///< of the processor, in all threads and ranks; no transfers
};

/// Warms the job up, then times it for about `seconds`, and makes two turns of each kind at least.
/// A turn has one step or more and ends when the device has finished.
Measurement measure(Job& job, double seconds, const Agreement& ranks = {});

/// The seconds of the steady clock.
double now();

}  // namespace timing
