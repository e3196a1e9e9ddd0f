// How much of the copying overlaps with computing. A worker does one thing at a time: a device's
// kernels, or one of its copy engines. Invariant: only the work of streams and copy engines counts.
#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "trace/trace.h"

namespace td::trace {
namespace {

struct Worker {
  std::int64_t busy = 0, until = 0;

  /// Spans come in the order of their begin, so all earlier spans have ended at `until`.
  void add(const SpanRecord& span) {
    const std::int64_t from = std::max(span.begin, until);
    busy += std::max<std::int64_t>(0, span.end - from);
    until = std::max(until, span.end);
  }
};

/// Returns the worker's name; empty for spans that are not work of a device. A copy within one
/// device uses no engine: it competes with kernels.
std::string worker_of(const SpanRecord& span, const Track& track) {
  if (track.kind == TrackKind::kEngine) return track.device + track.name;
  const bool works = span.category == Category::kKernel || span.category == Category::kCopy;
  if (track.kind != TrackKind::kStream || !works) return "";
  const std::string name = span.name;
  const bool uses_engine = span.category == Category::kCopy && name.find("DtoD") == name.npos;
  return uses_engine ? "" : track.device;
}

}  // namespace

double OverlapTimes::efficiency() const {
  if (serial <= bound) return std::numeric_limits<double>::quiet_NaN();
  return (serial - measured) / (serial - bound);
}

OverlapTimes overlap_times(const Trace& trace) {
  std::map<std::string, Worker> workers;
  std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
  for (const SpanRecord& span : trace.spans) {
    const std::string name = worker_of(span, trace.tracks[span.track]);
    if (name.empty()) continue;
    workers[name].add(span);
    begin = std::min(begin, span.begin);
    end = std::max(end, span.end);
  }
  OverlapTimes times;
  if (workers.empty()) return times;
  std::int64_t serial = 0, bound = 0;
  for (const auto& [name, worker] : workers) {
    serial += worker.busy;
    bound = std::max(bound, worker.busy);
  }
  times.serial = Trace::seconds(0, serial);
  times.bound = Trace::seconds(0, bound);
  times.measured = Trace::seconds(begin, end);
  return times;
}

}  // namespace td::trace
