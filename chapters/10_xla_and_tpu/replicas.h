// The boundary of a step for replicas that run in threads of their own: the part of torch_xla's
// mark_step that needs all of them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "td/base/span.h"
#include "xla/client.h"

/// Thrown by mark_step when another replica failed.
class StepAborted : public td::Error {
 public:
  using td::Error::Error;
};

/// Starts the step of all replicas; `arguments` is [replica][argument].
using StartStep =
    std::function<td::xla::Run(const std::vector<std::vector<td::xla::Buffer>>& arguments)>;

/// The steps of several replicas. Thread-safe.
class StepGroup {
 public:
  StepGroup(std::size_t replicas, StartStep start, double patience_seconds = 60)
      : start_(std::move(start)), patience_(patience_seconds), arguments_(replicas) {}

  std::size_t replicas() const { return arguments_.size(); }

  // anchor: mark_step
  /// Ends a step of replica number `replica`. Blocks until every replica has called it, then runs
  /// the program once for all, and returns the results of this replica.
  /// @throws td::xla::XlaError in every replica if the step fails.
  /// @throws StepAborted after abort().
  std::vector<td::xla::Buffer> mark_step(std::size_t replica,
                                         std::vector<td::xla::Buffer> arguments) {
    const td::trace::Span span("mark_step");
    std::unique_lock lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    arguments_.at(replica) = std::move(arguments);
    const std::size_t this_step = step_;
    if (++arrived_ == replicas())
      run_step();
    else if (!changed_.wait_for(lock, patience_, [&] { return error_ || step_ != this_step; }))
      fail(std::make_exception_ptr(td::Error(
          "mark_step: only " + std::to_string(arrived_) + " of " + std::to_string(replicas()) +
          " replicas called it; each one needs a thread that runs concurrently")));
    if (step_ == this_step) std::rethrow_exception(error_);
    return std::move(outputs_[replica]);
  }
  // anchor end

  /// Makes the calls of mark_step throw StepAborted, those that wait and those to come.
  void abort() {
    const std::lock_guard lock(mutex_);
    if (!error_)
      fail(std::make_exception_ptr(StepAborted("mark_step: another replica has failed")));
  }

 private:
  void fail(std::exception_ptr error) {
    error_ = std::move(error);
    changed_.notify_all();
  }
  void run_step() {
    try {
      td::xla::Run run = start_(arguments_);
      run.wait();
      arguments_.assign(replicas(), {});
      outputs_.clear();
      for (std::size_t r = 0; r < replicas(); ++r) outputs_.push_back(run.outputs(r));
      arrived_ = 0;
      ++step_;
      changed_.notify_all();
    } catch (const std::exception&) {
      fail(std::current_exception());
    }
  }

  const StartStep start_;
  const std::chrono::duration<double> patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::vector<td::xla::Buffer>> arguments_, outputs_;  // guarded by mutex_, as the rest
  std::size_t arrived_ = 0, step_ = 0;
  std::exception_ptr error_;
};
