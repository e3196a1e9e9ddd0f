// Writes a trace in the format of Chrome's and Perfetto's timelines: open the file at
// https://ui.perfetto.dev. Programs call it for `--trace FILE`.
// Invariant: an arrow is written only when both of its ends are in the trace.
#pragma once

#include <string>

#include "td/base/span_recorder.h"

namespace td::trace {

/// The trace as JSON, with the names that PyTorch's profiler uses (schemaVersion 1): a process a
/// device, a row a stream, "ac2g" arrows from a launch to the work it led to. Times are
/// microseconds from the trace's begin; copies tell bytes and GB/s.
///
/// Unlike there, a device's `pid` is 5 000 000 and more, since small numbers are processes, too.
std::string chrome_json(const Trace& trace);

/// The same in a file, which appears complete or not at all.
/// @throws IoError naming the file, the system's reason and the next step.
void write_chrome_json(const Trace& trace, const std::string& path);

}  // namespace td::trace
