// Counts copies in a trace, and watches for races. Tests of chapter 09 use it.
#pragma once

#include <string>

#include "check_tensors.h"
#include "sim/sim.h"
#include "trace/recorder.h"

/// Bytes that were copied between the host and devices, and how.
struct Copies {
  std::size_t to_host = 0, to_device = 0, count_to_device = 0;
  std::string pageable;  ///< the name of a copy from or to pageable memory, if there was one
};

/// Returns the copies of what `work` enqueues.
template <class Work>
Copies copies_of(const Work& work) {
  td::trace::start();
  work();
  const td::trace::Trace trace = td::trace::stop();
  Copies copies;
  for (const td::trace::SpanRecord& span : trace.spans) {
    if (span.category != td::trace::Category::kCopy) continue;
    const std::string name = span.name;
    if (name.find("Pageable") != name.npos) copies.pageable = name;
    if (name.find("DtoH") != name.npos) copies.to_host += span.bytes;
    if (name.find("HtoD") == name.npos) continue;
    copies.to_device += span.bytes;
    ++copies.count_to_device;
  }
  return copies;
}

/// Turns sim's race finder on until the end of the scope. expect_none() fails with the first race.
class RaceWatch {
 public:
  RaceWatch() {
    td::sim::find_races(true);
    td::sim::take_races();
  }
  ~RaceWatch() { td::sim::find_races(false); }
  RaceWatch(const RaceWatch&) = delete;
  RaceWatch& operator=(const RaceWatch&) = delete;
  void expect_none() {
    td::synchronize(td::Device("sim:0"));
    td::sim::find_races(false);
    for (const td::sim::Race& race : td::sim::take_races()) check::expect(false, race.text);
  }
};
