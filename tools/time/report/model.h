// What a timing report consists of: cases, samples, machines. The driver fills it, and tables,
// JSON, pictures and pages are made from it. Invariant: all times are seconds; derived numbers
// (medians, speed-up) are never stored, they come from statistics.h and baseline.h.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace report {

/// One way to do one piece of work, as a worker describes it in its answer to `list`.
struct Case {
  std::string name;      ///< "lenet/sim:2/data_parallel", the same in every framework.
  std::string workload;  ///< "lenet"
  std::string title;     ///< "LeNet, training step"
  std::string device;    ///< "cpu", "sim" or "cuda".
  int devices = 1;
  std::string method = "single";  ///< "single", "data_parallel" or "ddp".
  int threads = 0;  ///< Threads of the cpu; for sim the cores that all its devices use together.
  std::string amp = "off";  ///< "off", "bfloat16" or "float16".
  bool pinned = false;
  bool graph = false;
  std::string unit = "samples";  ///< What `per_step` counts: "samples", "bytes" or "flops".
  double per_step = 0;           ///< Units per step, over all devices.
  int batch = 0;
  double estimate = 0;  ///< Seconds that one run costs at least.

  bool operator==(const Case&) const = default;
};

/// One run of a case: the means over its steps.
struct Sample {
  int steps = 0;
  double step = 0;            ///< Seconds per step; the batch is on the device already.
  double with_transfers = 0;  ///< Seconds per step; the batch comes from host memory.
  double cpu = 0;             ///< Seconds of processor time per step.
  std::optional<double> loss;

  bool operator==(const Sample&) const = default;
};

/// Where the time of one step goes on the busiest device, seconds per step. The five parts add up
/// to `step`, a step with transfers.
struct Parts {
  double step = 0, compute = 0, copy = 0, wait = 0, communication = 0, launch = 0;

  bool operator==(const Parts&) const = default;
};

/// A case on one machine in one framework, and what was measured.
struct Result {
  std::string machine;    ///< Names one of Report::machines.
  std::string framework;  ///< "todevice" or, for example, "PyTorch 2.6".
  Case what;
  std::vector<Sample> samples;
  std::optional<Parts> parts;
  std::string error;  ///< One sentence; empty when nothing failed.

  bool ours() const { return framework == "todevice"; }
  bool operator==(const Result&) const = default;
};

/// What a machine cannot measure, and why.
struct NotHere {
  std::string what, why;
  bool operator==(const NotHere&) const = default;
};

/// The computer, its libraries and the run.
struct Machine {
  std::string name;  ///< "this machine", or after a merge the name of the file.
  std::string processor;
  int cores = 0;
  std::vector<std::string> gpus;
  std::vector<std::pair<std::string, std::string>> libraries;  ///< Name and version.
  std::string date;                                            ///< ISO 8601 with the time zone.
  std::string command;                                         ///< What was typed.
  int rounds = 0;
  double seconds = 0;  ///< Of one sample.
  std::vector<NotHere> not_here;

  bool operator==(const Machine&) const = default;
};

/// Everything that was measured.
struct Report {
  std::vector<Machine> machines;
  std::vector<Result> results;
  std::vector<std::string> notes;  ///< Events of the run in sentences: a worker that ended, Ctrl-C.

  bool operator==(const Report&) const = default;
};

/// The results of one workload, in the order in which the workloads first appear.
struct Group {
  std::string workload, title;
  std::vector<const Result*> results;
};
/// Groups what matches `keep` by workload. The same case on several machines or in several
/// frameworks is listed next to each other. The pointers are into `report`.
std::vector<Group> grouped(const Report& report, bool (*keep)(const Result&));

/// Names a case within its workload: "2 × sim, DDP", "cpu, 1 thread", "sim, bfloat16".
/// @param times the sign for "times": "×", or "x" without UTF-8.
std::string label(const Case& what, const std::string& times = "×");

}  // namespace report
