// The work of `./course watch`, without its display: it follows the learner's files, checks the
// newest text of one exercise and knows the verdict. The screen (watch_screen.cpp) and the plain
// lines (watch.cpp) drive it. Invariant: the verdict it shows is of the text that was saved last.
#pragma once

#include <chrono>
#include <string>

#include "watch_check.h"
#include "watch_files.h"
#include "watch_signals.h"

namespace course {

/// Why WatchSession::wait() returned.
enum class WatchEvent {
  key,       ///< The descriptor of keys is readable.
  checking,  ///< A check started or advanced, or another part of a second is over.
  verdict,   ///< There is a verdict, or a warning after it.
  signal,    ///< WatchSession::signal() returns which.
};

/// One `./course watch`.
class WatchSession {
 public:
  /// @param keys the descriptor on which keys arrive, or -1. @param poll see WatchedFiles.
  WatchSession(const Course& course, const Exercise& first, int keys, bool poll);

  /// Waits for the next event. A file that was saved is checked, after its exercise has become
  /// current(). @throws std::runtime_error when progress cannot be saved.
  WatchEvent wait();
  /// Checks the current exercise again.
  void check();
  void move_to(const Exercise& e);
  /// Ends the running check; call it before another program uses the build.
  void stop_check() { check_.stop(); }

  const Exercise& current() const { return *current_; }
  const CheckState& state() const { return state_; }
  /// Seconds that the check has taken until now, or until its verdict.
  double seconds() const;
  /// Whether a signal asks to end. Other signals that came are discarded, because Ctrl-C in a
  /// program that was started from here was meant for that program.
  bool is_ending();
  /// Waits for Enter on the descriptor of keys, or for a signal, which wait() will return.
  void wait_for_enter();
  /// The signal of the last WatchEvent::signal.
  int signal() const { return signal_; }
  /// Why saves are noticed late; see WatchedFiles.
  const std::string& trouble() const { return files_.trouble(); }

 private:
  using Clock = std::chrono::steady_clock;
  int wait_time() const;
  bool follow_saves();
  WatchEvent news();

  const Exercise* current_;
  int keys_;
  WatchedFiles files_;
  Signals signals_;
  BackgroundCheck check_;
  CheckState state_;
  Clock::time_point started_ = Clock::now(), ended_ = started_, looked_ = started_;
  int signal_ = 0, pending_ = 0;
};

}  // namespace course
