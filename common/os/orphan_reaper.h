// A process between a launcher and the programs that it starts, so that no process that they start
// outlives the launcher. It starts the programs as its own children and is their subreaper (man 2
// prctl): a process that one of them leaves behind becomes its child, even after setsid. At the
// end, or when the launcher is killed, it kills all its descendants. The launcher of ranks makes
// one. Invariant: it kills only its own descendants.
#pragma once

#include <optional>
#include <vector>

#include "os/file.h"
#include "os/start_process.h"

namespace td {

/// Starts programs and reports their starts and ends. Not thread-safe.
class OrphanReaper {
 public:
  /// What it reports; the first of several ends comes first.
  struct Event {
    /// What happened to a program, or to the reaper itself.
    enum Kind { kStarted, kNotStarted, kEnded, kReaperKilled };
    Kind kind;    ///< what happened
    int program;  ///< its index
    int value;    ///< its process id, the errno of exec, or its status as from waitpid
  };

  /// Starts the programs. @param folder is removed if this process is killed.
  /// @throws Error when the system allows no more processes.
  OrphanReaper(const std::vector<ChildProgram>& programs, const std::string& folder);
  /// Kills all descendants and blocks until they have ended.
  ~OrphanReaper();

  /// Readable when there is an event.
  int descriptor() const { return events_.get(); }
  /// The next event, or nothing. Does not block.
  std::optional<Event> next();
  /// Sends SIGINT, SIGTERM, SIGHUP or SIGKILL to the process groups of all programs that are
  /// running, and continues them if they are stopped: a stopped process handles no signal except
  /// SIGKILL.
  void signal_all(int signal) const;

 private:
  pid_t pid_ = -1;
  FileDescriptor events_;  // the reading end of a pipe
};

}  // namespace td
