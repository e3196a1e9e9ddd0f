// One start of all ranks of this host, until the last one has ended. The supervisor makes one per
// attempt. Invariant: run() returns when no rank is running; the destructor leaves none either.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "distributed/launch/line_copier.h"
#include "distributed/launch/orphan_reaper.h"
#include "distributed/launch/stop_signals.h"
#include "distributed/launch/supervisor.h"

namespace td::distributed {

/// The ranks of this host.
class WorkerGroup {
 public:
  WorkerGroup(const LaunchConfig& launch, StopSignals& signals, std::ostream& output,
              std::ostream& errors);
  ~WorkerGroup();
  WorkerGroup(const WorkerGroup&) = delete;
  WorkerGroup& operator=(const WorkerGroup&) = delete;

  /// Starts them and watches them until all have ended.
  /// @param variables the environment of rank `local_rank`. @param folder of the rendezvous.
  LaunchResult run(const std::function<Variables(int local_rank)>& variables,
                   const std::string& folder);

 private:
  using Clock = std::chrono::steady_clock;
  struct Rank;
  enum class Stage { kRunning, kSettling, kLastWords, kTerminating, kKilled };

  void start(const std::function<Variables(int)>& variables, const std::string& folder);
  void watch(int descriptor, std::uint64_t what);
  void wait_for_something();
  void handle(std::uint64_t what);
  void handle(const OrphanReaper::Event& event);
  void note_failure(const Rank& rank, int status);
  void report_failure();
  void note_stop(int signal);
  void enter_next_stage_when_due();
  void enter(Stage stage, std::chrono::milliseconds time_limit);

  const LaunchConfig& launch_;
  StopSignals& signals_;
  std::ostream &output_, &errors_;
  int events_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::unique_ptr<OrphanReaper> reaper_;
  int running_ = 0;
  bool crashed_ = false;  // the failure so far is a crash, and no error that a program reported
  Stage stage_ = Stage::kRunning;
  Clock::time_point due_ = Clock::time_point::max();  // when the next stage begins
  LaunchResult result_;
};

}  // namespace td::distributed
