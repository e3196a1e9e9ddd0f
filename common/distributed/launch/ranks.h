// One start of all ranks of this host, from the first fork to the last goodbye. The supervisor
// makes one an attempt. Invariant: run() returns when no rank is left; the destructor leaves none
// either.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "distributed/launch/line_copier.h"
#include "distributed/launch/stop_signals.h"
#include "distributed/launch/supervisor.h"

namespace td::distributed {

/// The ranks of this host.
class Ranks {
 public:
  Ranks(const Launch& launch, StopSignals& signals, std::ostream& output, std::ostream& errors);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// Starts them and watches them until all have ended.
  /// @param variables what rank `local_rank` finds in its environment.
  Ending run(const std::function<Variables(int local_rank)>& variables);

 private:
  using Clock = std::chrono::steady_clock;
  struct Rank;
  enum class Stage { kRunning, kSettling, kLastWords, kAsked, kKilled };

  void start(Rank& rank, Variables variables);
  void watch(int descriptor, std::uint64_t what);
  void wait_for_something();
  void handle(std::uint64_t what);
  void take_if_ended(Rank& rank);
  void note_failure(const Rank& rank, int status);
  void tell_failure();
  void note_stop(int signal);
  void go_on_when_due();
  void enter(Stage stage, std::chrono::milliseconds time_limit);
  void signal_all(int signal);

  const Launch& launch_;
  StopSignals& signals_;
  std::ostream &output_, &errors_;
  int events_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  int running_ = 0;
  bool crashed_ = false;  // the failure so far is a crash, and no error that a program told
  Stage stage_ = Stage::kRunning;
  Clock::time_point due_ = Clock::time_point::max();  // when the next stage begins
  Ending ending_;
};

}  // namespace td::distributed
