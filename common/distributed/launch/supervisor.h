// Starts the ranks of a program on this host and watches them to their end. `./course launch` and
// spawn() call it. Invariant: when supervise() returns or throws, no process that it started is
// left; the same holds when it is killed.
#pragma once

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "os/start_process.h"

namespace td::distributed {

/// What to start, and how to watch it.
struct LaunchConfig {
  std::vector<std::string> words;  ///< The program, a path or a name on PATH, and its arguments.
  int nprocs = 1;                  ///< Ranks on this host.
  int max_restarts = 0;            ///< How often all are restarted after a failure.
  int nnodes = 1;                  ///< Hosts, each with `nprocs` ranks.
  int node_rank = 0;               ///< This host's number.
  /// The url of the rendezvous, passed on as TD_RENDEZVOUS. Empty: a directory of this run alone,
  /// removed at its end; for one host.
  std::string rendezvous;
  std::string run_id;     ///< Equal on all hosts, new in each run. Empty: made here, for one host.
  Variables environment;  ///< Set in addition to ours and the launcher's.
  std::string name = "launch";        ///< At the start of the launcher's own lines.
  bool prefix = true;                 ///< "[1] " in front of the lines of rank 1.
  std::ostream* output = &std::cout;  ///< Takes the ranks' standard output.
  std::ostream* errors = &std::cerr;  ///< Takes their standard error and our own lines.
  /// How long after the first failure the other ranks may print what they saw; then they get
  /// SIGTERM.
  std::chrono::milliseconds last_words{500};
  /// A rank that has not ended this long after SIGTERM gets SIGKILL.
  std::chrono::milliseconds patience{5000};
};

/// How a launch ended.
struct LaunchResult {
  int exit_code = 0;    ///< That of the first rank that failed, or 128 + signal; 0: all is well.
  int stopped_by = 0;   ///< SIGINT, SIGTERM or SIGHUP when that ended the launch, else 0.
  std::string failure;  ///< "rank 1 of 2 ended with exit code 3 after 0.4 s"; empty: none failed.
};

/// Starts the ranks, each in a process group of its own, with torchrun's variables and their share
/// of the cores (OMP_NUM_THREADS, unless it is set), copies their output, and returns when all have
/// ended. SIGINT, SIGTERM and SIGHUP to this process go to the ranks and end the launch.
/// @throws Error when the program cannot be started, or another supervise() is running.
LaunchResult supervise(const LaunchConfig& launch);

/// One start of all ranks of this host, until the last one has ended (worker_group.cpp).
/// supervise() calls it once per attempt. When it returns or throws, no rank is running.
/// @param variables the environment of each rank. @param folder of the rendezvous, which is removed
/// if this process is killed.
/// @param signals the reading end of a pipe, which does not block: a byte for each stop signal.
LaunchResult run_ranks(const LaunchConfig& launch, const std::vector<Variables>& variables,
                       const std::string& folder, int signals);

}  // namespace td::distributed
