// A worker as the measurement sees it: typed answers, and one restart when it ends. Used by
// measure.cpp. Invariant: a worker is started again once; when it ends a second time, every later
// request fails immediately with a message.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "protocol.h"
#include "worker_process.h"

namespace report {

/// One framework's worker. Not thread-safe.
class Worker {
 public:
  /// @param limit_seconds how long one answer may take.
  /// @param on_note gets a sentence when the worker had to be started again.
  Worker(std::string name, std::vector<std::string> command, std::string log, double limit_seconds,
         std::function<void(const std::string&)> on_note);

  /// Each throws CaseFailed.
  Listing list();
  Sample run(const std::string& name, double seconds);
  Parts explain(const std::string& name);
  /// Ends the process. The next request starts another one; this does not count as the restart.
  void renew();

 private:
  std::string ask(const std::string& request);

  std::string name_, log_, reason_;
  std::vector<std::string> command_;
  double limit_;
  std::function<void(const std::string&)> on_note_;
  int starts_ = 0;
  std::unique_ptr<WorkerProcess> process_;
};

}  // namespace report
