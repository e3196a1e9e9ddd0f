// The numbers of the report and their definitions. Every table, picture and file takes them from
// here. Invariant: a result without samples has no numbers; callers check `measured` first.
#pragma once

#include <string>
#include <vector>

#include "model.h"

namespace report {

/// The q-quantile by linear interpolation between order statistics: h = (n - 1) q, then
/// x[floor(h)] + (h - floor(h)) (x[floor(h) + 1] - x[floor(h)]). It is definition 7 of Hyndman and
/// Fan (1996), NumPy's default. @param q from 0 to 1. @throws std::invalid_argument without values.
double quantile(std::vector<double> values, double q);

/// Median, and the range that holds the middle 80 % of the samples.
struct Spread {
  double median = 0, p10 = 0, p90 = 0;
  /// Half the range over the median: (p90 - p10) / 2 / median.
  double relative() const { return median > 0 ? (p90 - p10) / 2 / median : 0; }
};

/// Whether the result has samples.
bool measured(const Result& result);
/// Seconds per step with the batch on the device already.
Spread step_time(const Result& result);
/// Seconds per step with the copies of the batch and of the loss.
Spread time_with_transfers(const Result& result);
/// Median processor time per step, seconds.
double cpu_time(const Result& result);
/// Units per second = units per step / median seconds per step with transfers. For flops the
/// seconds without transfers count: they say what the device computes.
double per_second(const Result& result);

/// A sentence when the samples of some cases differ by more than 10 %; otherwise empty. Such
/// medians do not repeat, because other programs used a part of the machine.
std::string noise_warning(const Report& report);

/// Whether the middle 80 % of their samples overlap, in seconds per unit of work: then a difference
/// of the medians says nothing.
bool within_spread(const Result& a, const Result& b);

/// Speed-up = throughput / throughput of the base, both with transfers. With the same batch it is
/// seconds of the base / seconds.
double speed_up(const Result& result, const Result& base);
/// Parallel efficiency = speed-up over one device / number of devices. 1 means that every device is
/// as useful as the first one.
double efficiency(const Result& result, const Result& one_device);

}  // namespace report
