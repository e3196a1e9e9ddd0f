// The report as a file in the layout of Google Benchmark, which its compare.py can read: one entry
// per sample, and one for their median. Called by the driver. Invariant: what is written and read
// again is the same report, up to the rounding of times and without cases that were never reached.
#pragma once

#include <string>

#include "model.h"

namespace report {

/// The text of the file. "real_time" is the time of a step with transfers, in nanoseconds; values
/// for which the layout has no name are in additional fields: "step" (ns), "loss", "case", "parts".
std::string to_json(const Report& report);

/// Reads a text. @param name of the file, for messages.
/// @throws std::runtime_error saying what was expected.
Report from_json(const std::string& text, const std::string& name);

/// Reads a file. @throws std::runtime_error or td::IoError naming the file.
Report read_report(const std::string& path);

/// The name of a result in the file: "lenet/sim", with the framework and the machine before it
/// where there are others. It is unique.
std::string run_name(const Report& report, const Result& result);

}  // namespace report
