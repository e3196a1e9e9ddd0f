// Turns Ctrl-C and its kind into something that poll can wait for, for as long as it lives. The
// supervisor owns one. Invariant: afterwards the process's own handlers are in place again.
#pragma once

#include <csignal>

namespace td::distributed {

/// Catches SIGINT, SIGTERM and SIGHUP, those apart that the process ignores.
class StopSignals {
 public:
  /// @throws Error when there is one already: signals belong to the whole process.
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Readable when a signal has come.
  int descriptor() const { return from_; }
  /// The next signal that came, or 0.
  int next();

 private:
  int from_ = -1;
  struct sigaction before_[3]{};
};

}  // namespace td::distributed
