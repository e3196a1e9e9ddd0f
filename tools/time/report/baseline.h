// With which result each result is compared, and why a device is not faster. Called by the tables,
// the pictures and the page. Invariant: a base belongs to the same machine, framework and workload.
#pragma once

#include <string>
#include <vector>

#include "model.h"

namespace report {

/// The result that the speed-up of `result` refers to; null when it was not measured. Several
/// devices are compared with one device of the same kind and settings, one device with the cpu with
/// all its threads in float32. Processes on the cpu are compared with one that has as many threads.
const Result* base_of(const Report& report, const Result& result);

/// Seconds per step that keep a device from its ideal speed-up.
struct Loss {
  std::string name;  ///< "copies", "communication", "launches", "waiting" or "longer computation".
  double seconds = 0;   ///< Per step.
  double share = 0;     ///< Of the step.
  std::string meaning;  ///< An explanation in one sentence.
};

/// The losses of a result with parts, largest first. For several devices, "longer computation" is
/// what the busiest device computes beyond its share: compute - compute of one device / n.
std::vector<Loss> losses(const Result& result, const Result* base);

/// Whether the result is below the expected value: an efficiency of 0.9 for several devices, a
/// speed-up above 1 for one device.
bool below_promise(const Result& result, const Result& base);

/// Why it is not faster, in sentences; empty without parts, or if it reaches the expected value.
/// @param times the sign for "times" in names of cases.
std::string why_not_faster(const Report& report, const Result& result, const std::string& times);
/// What stands before these sentences: where their times come from.
extern const char* const kFromTrace;

/// What a reader wants to know first. For each workload and kind of device: the fastest case on one
/// device against the cpu, and the fastest on several devices against one device.
struct Headline {
  const Result* result = nullptr;
  const Result* base = nullptr;
};
std::vector<Headline> headlines(const Report& report);
/// "LeNet, training step: 2 × sim, DDP is 1.45 times as fast as sim (efficiency 73 %)." Where the
/// difference lies within the spread, it says so instead.
std::string sentence(const Headline& headline, const std::string& times);

}  // namespace report
