// Signals as events to wait for: they arrive between two keys instead of in the middle of a redraw.
// Used by watch_session.cpp. Invariant: after the end of the object, the earlier handlers are back.
#pragma once

#include <csignal>
#include <vector>

#include "os/file.h"

namespace course {

/// Catches signals from now on. One object at a time.
class Signals {
 public:
  explicit Signals(const std::vector<int>& caught);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  /// Readable when a signal came.
  int descriptor() const { return from_.get(); }
  /// The next signal that came; 0 when there is none.
  int take();

 private:
  struct Before {
    int signal;
    struct sigaction action;
  };
  td::FileDescriptor from_, into_;
  std::vector<Before> before_;
};

/// Stops this process as Ctrl-Z does, whatever Ctrl-Z was set to do; returns after `fg`.
void suspend_process();

}  // namespace course
