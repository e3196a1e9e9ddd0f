// Requests and answers, and what happens when a worker ends.
#include "worker.h"

#include <cstdio>
#include <utility>

namespace report {

Worker::Worker(std::string name, std::vector<std::string> command, std::string log,
               double limit_seconds, std::function<void(const std::string&)> on_note)
    : name_(std::move(name)),
      log_(std::move(log)),
      command_(std::move(command)),
      limit_(limit_seconds),
      on_note_(std::move(on_note)) {}

std::string Worker::ask(const std::string& request) {
  if (!process_ && starts_ == 2) throw CaseFailed("not measured, because " + reason_);
  if (!process_) {
    process_ = std::make_unique<WorkerProcess>(name_, command_, log_);
    ++starts_;
  }
  try {
    return process_->ask(request, limit_);
  } catch (const WorkerEnded& ended) {
    process_.reset();
    reason_ = ended.what();
    on_note_(reason_ + (starts_ == 1 ? "; it is started again." : "; it is not started again."));
    throw CaseFailed(reason_);
  }
}

Listing Worker::list() { return parse_listing(ask("list")); }

Sample Worker::run(const std::string& name, double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", seconds);
  return parse_sample(ask("run " + name + " " + text));
}

Parts Worker::explain(const std::string& name) { return parse_parts(ask("explain " + name)); }

void Worker::renew() {
  if (process_) --starts_;
  process_.reset();
}

}  // namespace report
