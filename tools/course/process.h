// Starts another program, waits for it with a time limit, and collects its output. Called by every
// command that builds, checks or runs. Invariant: when run() returns, the program and all that it
// started have ended.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace course {

/// What to start and how.
struct Program {
  std::vector<std::string> words;                                ///< Path or name, then arguments.
  std::vector<std::pair<std::string, std::string>> environment;  ///< Set in addition to ours.
  std::chrono::milliseconds limit{0};                            ///< 0: wait forever.
  std::function<void(const std::string&)> on_line;  ///< Called with each line as it comes.
  int stop = -1;  ///< The program is ended when this descriptor becomes readable; -1: never.
};

/// How it ended.
struct Outcome {
  int exit_code = 0;       ///< Meaningful when signal is 0.
  int signal = 0;          ///< The signal that ended it, or 0.
  bool timed_out = false;  ///< The limit passed and it was killed.
  bool stopped = false;    ///< It was ended because `stop` became readable.
  std::string output;      ///< stdout and stderr together, in order.
};

/// Runs the program to its end. Its standard input is empty and it writes no core file.
/// @throws std::runtime_error when it cannot be started.
Outcome run(const Program& program);

/// Whether a descriptor has something to read now. False for -1.
bool is_readable(int descriptor);

/// Becomes the program: never returns; throws when it cannot be started.
[[noreturn]] void become(const std::vector<std::string>& words);

/// The value of LD_LIBRARY_PATH with `directory` before it.
std::string library_path(const std::string& directory);

/// "segmentation fault" for SIGSEGV and so on.
std::string signal_name(int signal);

}  // namespace course
