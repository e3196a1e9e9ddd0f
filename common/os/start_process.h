// Starts another program: fork and exec, with everything prepared before the fork. The launcher
// starts its ranks with it, the course's tool its compilers and checkers. Invariant: what runs
// between fork and exec is safe in a process of many threads, so nothing there allocates.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "os/file.h"

namespace td {

/// Names and values of environment variables.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// Both ends of a pipe.
struct Pipe {
  /// @param purpose begins the error message: "cannot start a rank". @param flags of pipe2(2).
  /// @throws Error when the system has no more descriptors.
  explicit Pipe(const std::string& purpose, int flags = 0);
  FileDescriptor from;  ///< the end to read from
  FileDescriptor into;  ///< the end to write to
};

/// What to start and how.
struct ChildProgram {
  std::vector<std::string> words;  ///< Path or name, then arguments.
  Variables environment;           ///< Set in addition to ours.
  int input = -1;                  ///< Descriptor of its standard input; -1: empty.
  int output = -1;                 ///< Of its standard output; -1: ours.
  int errors = -1;                 ///< Of its standard error; -1: ours.
  /// The signal it gets when the thread that started it has ended in any way; 0: none.
  int when_parent_dies = SIGKILL;
  bool writes_core_file = true;  ///< False: a crash leaves no core file.
};

/// A program with all that a child process needs between fork and exec, made before the fork.
class PreparedProgram {
 public:
  explicit PreparedProgram(const ChildProgram& program);
  PreparedProgram(PreparedProgram&&) = default;
  const std::string& name() const { return program_.words[0]; }
  /// In the child: becomes the program, as the leader of its own process group. Returns errno if
  /// that fails. @param parent the process that has forked. Async-signal-safe.
  int exec(pid_t parent) const;

 private:
  ChildProgram program_;
  std::string path_;
  std::vector<std::string> environment_;
  std::vector<char*> argv_, envp_;  // pointers into the strings above
};

/// Starts the program as the leader of a process group of its own, so that `kill(-pid, …)` also
/// reaches the processes that it starts. @return its process id.
/// @throws Error naming the program and the system's reason when it cannot be started.
pid_t start_process(const ChildProgram& program);

/// The file that a shell would start for `name`: itself when it holds a slash, else the first on
/// PATH. Empty when there is none.
std::string find_program(const std::string& name);

}  // namespace td
