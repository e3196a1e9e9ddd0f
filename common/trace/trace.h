// Outputs of a trace: a file for Chrome's and Perfetto's timelines, a figure, and how much of the
// copying overlaps with computing. Programs call it after stop(); td/base has the spans themselves.
#pragma once

#include <string>

#include "td/base/arg.h"
#include "trace/recorder.h"

namespace td::trace {

/// Returns the trace as JSON for https://ui.perfetto.dev, with the names of PyTorch's profiler
/// (schemaVersion 1): one process per device, one track per stream, and "ac2g" arrows from a launch
/// to its work. Times are microseconds since the trace's start; copies have bytes and GB/s. Unlike
/// PyTorch's, a device's `pid` is at least 5 000 000, because smaller numbers may be processes.
std::string chrome_json(const Trace& trace);

/// Writes the same to a file, atomically.
/// @throws IoError naming the file, the system's reason and the next step.
void write_chrome_json(const Trace& trace, const std::string& path);

/// How much of the copying a program hides behind its computing, in seconds.
struct OverlapTimes {
  double serial = 0;    ///< the sum of all copies and kernels
  double bound = 0;     ///< the busiest worker: computing, or one direction of copies
  double measured = 0;  ///< from the start of the first to the end of the last
  /// Returns (serial - measured) / (serial - bound): 1 for complete overlap, 0 for sequential work.
  /// NaN when there was only one worker, because nothing could overlap.
  double efficiency() const;
};

/// Returns the times of all devices of the trace. Concurrent kernels of one device count once.
OverlapTimes overlap_times(const Trace& trace);

/// What is drawn in addition to the streams of devices.
struct PictureOptions {
  /// Threads and work queues, with phases, batches and collectives.
  TD_ARG(bool, host) = false;
  /// Copy engines, which show the streams' copies a second time.
  TD_ARG(bool, engines) = false;
  /// Characters per line of text.
  TD_ARG(std::size_t, width) = 72;
};

/// Returns a legend, one line per track, and the scale. A letter is work of the phase (kUser span)
/// in which it was launched, 'c' a copy, 'k' a kernel outside of all phases, '.' a stream that
/// waits:
///
///     f forward, b backward, c copy, . waits
///      sim:0 |ccfffff....bbbbbbbb|
///             0            12.3 ms
std::string text_timeline(const Trace& trace, const PictureOptions& options = {});

/// Returns the same as SVG, in which every span has its name and its time.
std::string svg_timeline(const Trace& trace, const PictureOptions& options = {});
/// Writes that SVG to a file.
/// @throws IoError naming the file, the system's reason and the next step.
void write_svg(const Trace& trace, const std::string& path, const PictureOptions& options = {});

}  // namespace td::trace
