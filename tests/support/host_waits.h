// Counts how often the host waits for a device. For tests of tasks that limit these waits.
#pragma once

#include "td/td.h"
#include "trace/trace.h"

namespace check {

/// How often the host waits for sim:0 in `work`. Waits with no launch and no copy in between count
/// as one, such as those for several events at the end.
template <class Work>
int host_waits(Work&& work) {
  td::synchronize("sim:0");
  td::trace::start();
  work();
  const td::trace::Trace trace = td::trace::stop();
  int waits = 0;
  bool waited = false;
  for (const auto& span : trace.spans) {
    if (trace.tracks[span.track].kind != td::trace::TrackKind::kThread) continue;
    const bool waits_now = span.category == td::trace::Category::kWait;
    waits += waits_now && !waited;
    waited = waits_now;
  }
  return waits;
}

}  // namespace check
