// The cases that `./course time` can measure on this machine. worker.cpp lists them; the workloads
// and ranks.cpp read from a Case what to set up.
// Invariant: the name completely describes a case, so a rank or another machine can rebuild it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "td/td.h"

namespace timing {

/// How several devices divide a step.
enum class Method { kSingle, kDataParallel, kDdp };

/// What is computed in a step, the same in all cases of the workload.
struct Workload {
  std::string name;     ///< "lenet"
  std::string title;    ///< "LeNet, training step"
  std::string unit;     ///< what per_step() counts: "samples", "bytes" or "flops"
  std::int64_t batch;   ///< samples per step, over all devices; 0 where there are none
  std::int64_t size;    ///< elements that are copied, rows of a matrix, the width of a network
  double core_seconds;  ///< roughly, for a step on one core; only for estimates

  /// Units per step, over all devices.
  double per_step() const;
};
/// @throws td::Error for a name that is not a workload's.
const Workload& workload(const std::string& name);

/// One thing to measure.
struct Case {
  std::string name;                   ///< "lenet/sim:2/data_parallel"
  const Workload* work = nullptr;     ///< never null in a case that parse_case returned
  td::DeviceType device = td::kCPU;   ///< the kind of all its devices
  int devices = 1;                    ///< for cpu: processes
  Method method = Method::kSingle;    ///< how they divide the step
  bool one_thread = false;            ///< a cpu case on one core
  std::optional<td::ScalarType> amp;  ///< the dtype of autocast; empty: off
  bool pinned = false;                ///< the batch is in pinned memory
  bool graph = false;                 ///< the step is captured once and replayed
};

/// Reads a name. @throws td::Error naming the part that it cannot read.
Case parse_case(const std::string& name);

/// All cases that this machine can measure, in the order of cases.def.
std::vector<Case> cases_here();

/// Kinds and numbers of devices that this machine lacks, each with its reason.
struct Missing {
  std::string what;  ///< "cuda", "cuda:2"
  std::string why;   ///< one sentence without a full stop
};
std::vector<Missing> missing_here();

/// The cores on which all devices of a case together compute; for cuda: the threads of the host.
int threads_of(const Case& c);

/// About the seconds that a run of `seconds` takes, with its warm-up and the start of ranks.
double estimate(const Case& c, double seconds);

}  // namespace timing
