// Results with known times, for the tests of the timing report.
#pragma once

#include <string>
#include <vector>

#include "report/model.h"

namespace report {

/// A case of the workload "lenet" with 64 samples per step.
inline Case make_case(const std::string& name, const std::string& device, int devices = 1,
                      int threads = 2) {
  Case what;
  what.name = name;
  what.workload = "lenet";
  what.title = "LeNet, training step";
  what.device = device;
  what.devices = devices;
  what.threads = threads;
  what.per_step = 64;
  what.batch = 64;
  return what;
}

/// A result with one sample per time; a step without transfers takes half of it.
inline Result make_result(const Case& what, const std::vector<double>& times) {
  Result result{"this machine", "todevice", what, {}, {}, ""};
  for (const double time : times) result.samples.push_back({3, time / 2, time, time, 2.5});
  return result;
}

inline Report make_report(const std::vector<Result>& results) {
  Machine machine;
  machine.name = "this machine";
  machine.processor = "A <b>processor</b>";
  machine.cores = 2;
  machine.libraries = {{"oneDNN", "3.1"}};
  machine.date = "2026-01-02T03:04:05+0000";
  machine.command = "./course time lenet";
  machine.rounds = 3;
  machine.seconds = 0.25;
  machine.not_here = {{"cuda", "this machine has no GPU"}};
  return {{machine}, results, {}};
}

}  // namespace report
