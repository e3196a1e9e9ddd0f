// Traces for tests: made by hand, with times in milliseconds, and searched.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace test {

using td::trace::Category;
using td::trace::Span;
using td::trace::SpanRecord;
using td::trace::SpanTarget;
using td::trace::Trace;
using td::trace::TrackKind;

/// A trace put together by hand; spans may be added in any order.
struct HandMade {
  Trace trace;

  std::uint32_t track(TrackKind kind, const char* device, int number, const char* name) {
    trace.tracks.push_back({kind, device, number, name});
    return static_cast<std::uint32_t>(trace.tracks.size() - 1);
  }
  HandMade& span(std::uint32_t track, Category category, const char* name, std::int64_t begin,
                 std::int64_t end, std::uint32_t correlation = 0, std::uint64_t bytes = 0) {
    constexpr std::int64_t kMillisecond = 1'000'000;
    trace.spans.push_back(
        {name, begin * kMillisecond, end * kMillisecond, bytes, track, correlation, category});
    std::stable_sort(trace.spans.begin(), trace.spans.end(),
                     [](const SpanRecord& a, const SpanRecord& b) {
                       return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
                     });
    trace.end = std::max(trace.end, end * kMillisecond);
    return *this;
  }
};

/// All spans of that name, or of every name.
inline std::vector<SpanRecord> find(const Trace& trace, Category category,
                                    const std::string& name = "") {
  std::vector<SpanRecord> found;
  for (const SpanRecord& span : trace.spans)
    if (span.category == category && (name.empty() || name == span.name)) found.push_back(span);
  return found;
}

/// The track's name with its device: "sim:0 stream 1".
inline std::string track_of(const Trace& trace, const SpanRecord& span) {
  const auto& track = trace.tracks.at(span.track);
  return track.device.empty() ? track.name : track.device + ' ' + track.name;
}

/// Spans of one track nest or follow one another. Returns what is wrong, or nothing.
inline std::string partly_overlapping(const Trace& trace) {
  std::vector<std::vector<SpanRecord>> open(trace.tracks.size());
  for (const SpanRecord& span : trace.spans) {
    auto& stack = open.at(span.track);
    while (!stack.empty() && stack.back().end <= span.begin) stack.pop_back();
    if (!stack.empty() && span.end > stack.back().end)
      return std::string(span.name) + " begins in " + stack.back().name + " and ends behind it";
    stack.push_back(span);
  }
  return "";
}

}  // namespace test
