// A worker: a program that measures one case per request line and answers with one line of JSON.
// The driver owns one per framework. Invariant: after the end of the object, the program and all
// that it started have ended.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "os/file.h"

namespace report {

/// A worker ended, or did not answer in time; the message names it and says how.
struct WorkerEnded : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Starts the program on construction. Not thread-safe.
class WorkerProcess {
 public:
  /// @param name of the framework, for messages. @param log the file that gets what the program
  /// writes to its standard error. @throws td::Error when it cannot be started.
  WorkerProcess(std::string name, std::vector<std::string> command, std::string log);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Sends a line and blocks until the answer is complete. Ctrl-C does not interrupt it, because
  /// the current sample should be finished. @throws WorkerEnded
  std::string ask(const std::string& request, double limit_seconds);

 private:
  void send(const std::string& request);
  [[noreturn]] void report_end(const std::string& request);
  void end();

  std::string name_, log_, pending_;
  int pid_ = -1;
  td::FileDescriptor into_, from_;
};

}  // namespace report
