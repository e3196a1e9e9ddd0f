// Runs the workers: rounds over all cases, then the parts of the time of a step. Called by the
// driver. Invariant: whatever happens, every sample that was finished is in the report.
#pragma once

#include <string>
#include <vector>

#include "model.h"
#include "settings.h"
#include "worker.h"

namespace report {

/// A case and the worker that measures it.
struct Job {
  Worker* worker = nullptr;
  std::size_t result = 0;  ///< Index in Report::results.
};

/// The same case in each framework that has it. They follow each other in every round, and every
/// second round in the opposite order, so that neither is always measured on warmer caches.
using Counterparts = std::vector<Job>;

/// Takes `settings.rounds` samples of every case, interleaved, and asks for the parts of a step on
/// devices. Shows progress on stdout. A case that fails keeps its error message and is left out
/// from then on. @return false when Ctrl-C ended it early.
bool measure(const Settings& settings, const std::vector<Counterparts>& cases, Report& report);

}  // namespace report
