// Sets of intervals, and the five parts as differences of such sets.
#include "explain.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace timing {
namespace {

using td::trace::Category;
using td::trace::SpanRecord;
using td::trace::Trace;
using td::trace::Track;
using td::trace::TrackKind;

struct Interval {
  std::int64_t begin, end;
};

/// Disjoint intervals in the order of time.
class Times {
 public:
  Times() = default;
  explicit Times(std::vector<Interval> all) {
    std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.begin < b.begin; });
    for (const Interval& one : all) {  // one that touches or overlaps the last one extends it
      if (one.end <= one.begin) continue;
      if (!list_.empty() && one.begin <= list_.back().end)
        list_.back().end = std::max(list_.back().end, one.end);
      else
        list_.push_back(one);
    }
  }
  const std::vector<Interval>& list() const { return list_; }
  double seconds() const {
    std::int64_t sum = 0;
    for (const Interval& one : list_) sum += one.end - one.begin;
    return Trace::seconds(0, sum);
  }
  /// The part of these times that is not in `other`.
  Times without(const Times& other) const {
    std::vector<Interval> rest;
    auto hole = other.list_.begin();
    for (Interval one : list_) {
      while (hole != other.list_.end() && hole->end <= one.begin) ++hole;
      for (auto h = hole; h != other.list_.end() && h->begin < one.end; ++h) {
        rest.push_back({one.begin, h->begin});
        one.begin = h->end;
      }
      rest.push_back(one);
    }
    return Times(rest);
  }
  Times within(const Times& other) const { return without(without(other)); }

 private:
  std::vector<Interval> list_;
};

/// What one device does.
struct Activity {
  std::vector<Interval> kernels, messages, copies;
  std::vector<const SpanRecord*> work;  // of its streams, in the order of their begin
};

bool has(const SpanRecord& span, const char* word) {
  return std::string(span.name).find(word) != std::string::npos;
}

/// When a copy takes place. Pageable memory is copied in pieces, and between two of them the host
/// copies the next one to or from pinned memory: that is part of the copy.
Interval time_of_copy(const SpanRecord& span, const std::vector<const SpanRecord*>& before) {
  const bool goes_on = !before.empty() && has(span, "Pageable") && has(span, before.back()->name);
  return {goes_on ? std::min(before.back()->end, span.begin) : span.begin, span.end};
}

/// Sorts the spans by device. A collective of the host's queue belongs to every device.
std::map<std::string, Activity> activities(const Trace& trace, const std::string& kind) {
  std::map<std::string, Activity> all;
  std::vector<Interval> collectives;
  for (const SpanRecord& span : trace.spans) {
    const Track& track = trace.tracks[span.track];
    const bool on_stream = track.kind == TrackKind::kStream && track.device.starts_with(kind);
    const bool on_cpu = track.kind == TrackKind::kThread && kind == "cpu";
    const Interval time{span.begin, span.end};
    if (span.category == Category::kCollective) {
      on_stream ? all[track.device].messages.push_back(time) : collectives.push_back(time);
    } else if (on_stream && span.category == Category::kKernel) {
      all[track.device].kernels.push_back(time);
    } else if (on_stream && span.category == Category::kCopy) {
      Activity& device = all[track.device];
      (has(span, "PtoP") ? device.messages : device.copies)
          .push_back(time_of_copy(span, device.work));
    } else if (on_cpu && span.category == Category::kOperator) {
      all[kind].kernels.push_back(time);
    } else {
      continue;
    }
    if (on_stream) all[track.device].work.push_back(&span);
  }
  for (auto& [name, device] : all)
    device.messages.insert(device.messages.end(), collectives.begin(), collectives.end());
  return all;
}

/// The host's side: when work was launched, and when its threads wait.
struct Host {
  explicit Host(const Trace& trace) {
    std::map<std::uint32_t, std::vector<Interval>> by_thread;
    std::vector<Interval> all;
    for (const SpanRecord& span : trace.spans) {
      if (trace.tracks[span.track].kind != TrackKind::kThread) continue;
      if (span.category == Category::kLaunch && span.correlation != 0)
        launches[span.correlation] = &span;
      if (span.category != Category::kWait) continue;
      by_thread[span.track].push_back({span.begin, span.end});
      all.push_back({span.begin, span.end});
    }
    for (auto& [thread, list] : by_thread) waits[thread] = Times(std::move(list));
    any_waits = Times(std::move(all));
  }
  std::map<std::uint32_t, const SpanRecord*> launches;  // by correlation
  std::map<std::uint32_t, Times> waits;                 // by thread
  Times any_waits;                                      // of at least one thread
};

/// The part of one gap in which the host prepares `next`, the work that ends it. Null: no work of
/// the device ends it, but a collective or the end of the last step.
Times preparing(const Interval& gap, const SpanRecord* next, const Host& host) {
  const auto found = next ? host.launches.find(next->correlation) : host.launches.end();
  if (found == host.launches.end()) return Times({gap}).without(host.any_waits);
  const SpanRecord& launch = *found->second;
  const Times before({{gap.begin, std::min(gap.end, launch.end)}});
  const auto waits = host.waits.find(launch.track);
  return waits == host.waits.end() ? before : before.without(waits->second);
}

/// The part of the gaps in which the host has not yet launched the work that ends them.
Times launching(const Times& gaps, const Activity& device, const Host& host) {
  std::vector<Interval> late;
  auto next = device.work.begin();
  for (const Interval& gap : gaps.list()) {
    while (next != device.work.end() && (*next)->begin < gap.end) ++next;
    const bool ends_it = next != device.work.end() && (*next)->begin == gap.end;
    const Times busy = preparing(gap, ends_it ? *next : nullptr, host);
    late.insert(late.end(), busy.list().begin(), busy.list().end());
  }
  return Times(std::move(late));
}

}  // namespace

Parts explain_trace(const Trace& trace, const std::string& kind, std::int64_t begin,
                    std::int64_t end, int steps) {
  const Times window({{begin, end}});
  Activity busiest;
  double most = -1;
  for (const auto& [name, device] : activities(trace, kind)) {
    const double seconds = Times(device.kernels).within(window).seconds();
    if (seconds <= most) continue;
    most = seconds;
    busiest = device;
  }
  const Times kernels = Times(busiest.kernels).within(window);
  // In this order: what runs under a kernel is hidden, and DDP's copies to the host and back, which
  // gloo and shared memory need, belong to their collective.
  const Times messages = Times(busiest.messages).within(window).without(kernels);
  const Times copies = Times(busiest.copies).within(window).without(kernels).without(messages);
  const Times gaps = window.without(kernels).without(messages).without(copies);
  const Times launches = launching(gaps, busiest, Host(trace));
  const double share = 1.0 / steps;
  return {window.seconds() * share,   kernels.seconds() * share,
          messages.seconds() * share, copies.seconds() * share,
          launches.seconds() * share, gaps.without(launches).seconds() * share};
}

Parts explain_job(Job& job, const std::string& kind, const Agreement& ranks) {
  constexpr double kRecorded = 0.1;  // seconds: enough for a mean, and small enough for the memory
  constexpr int kFewest = 3, kMost = 100;
  job.step_with_transfers();
  job.wait();
  const double start = now();
  job.step_with_transfers();
  job.wait();
  const double once = ranks.largest(now() - start);
  const int steps = std::clamp(static_cast<int>(std::lround(kRecorded / once)), kFewest, kMost);
  td::trace::start();
  const std::int64_t begin = td::trace::now();
  for (int i = 0; i < steps; ++i) job.step_with_transfers();
  job.wait();
  const std::int64_t end = td::trace::now();
  return explain_trace(td::trace::stop(), kind, begin, end, steps);
}

}  // namespace timing
