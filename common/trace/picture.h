// Draws a trace: a few lines of text, or a picture (SVG). Chapters 05 and 08 show devices at work
// with it; the whole trace, to zoom into, is for chrome.h.
// Invariant: what is drawn is what was recorded; nothing is moved or made longer than a hair.
#pragma once

#include <string>

#include "td/base/arg.h"
#include "td/base/span_recorder.h"

namespace td::trace {

/// What is drawn besides the streams of devices.
struct PictureOptions {
  /// Threads and lanes with phases, batches and collectives, too.
  TD_ARG(bool, host) = false;
  /// Copy engines, too, which show the streams' copies a second time.
  TD_ARG(bool, engines) = false;
  /// Characters of a line of text.
  TD_ARG(std::size_t, width) = 72;
};

/// A legend, a line a row and the scale. A letter is work of the phase (kUser span) in which it was
/// launched, 'c' a copy, 'k' a kernel outside of all phases, '.' a stream that waits:
///
///     f forward, b backward, c copy, . waits
///      sim:0 |ccfffff....bbbbbbbb|
///             0            12.3 ms
std::string text_timeline(const Trace& trace, const PictureOptions& options = {});

/// The same as a picture, in which every span has its name and its time.
std::string svg_timeline(const Trace& trace, const PictureOptions& options = {});
/// That picture in a file.
/// @throws IoError naming the file, the system's reason and the next step.
void write_svg(const Trace& trace, const std::string& path, const PictureOptions& options = {});

}  // namespace td::trace
