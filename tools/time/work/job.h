// One case that is set up: its data and model exist, and it can make steps. products.cpp and
// training.cpp implement it; measure.h times it; explain.h records it.
// Invariant: between two calls of wait() a step may be in flight; nothing runs between two runs.
#pragma once

#include <memory>

#include "cases.h"

namespace timing {

/// The number of steps after which the checked value is read.
constexpr int kCheckedSteps = 5;

/// The place of this process among the ranks of a case.
struct Rank {
  int rank = 0;   ///< 0 to ranks - 1
  int ranks = 1;  ///< 1 unless the method is DDP
};

class Job {
 public:
  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Enqueues a step whose data is on the device.
  virtual void step() = 0;
  /// Makes a step whose data comes from host memory and whose result goes back there.
  virtual void step_with_transfers() = 0;
  /// Blocks until all steps are done.
  virtual void wait() = 0;
  /// The result of the last step: the loss, or for copies and products the mean of the absolute
  /// values. The same for every framework and device.
  virtual double value() = 0;
  /// The result of step number kCheckedSteps, counted from the start values. Call it once, before
  /// other steps.
  virtual double checked_value() {
    for (int i = 0; i < kCheckedSteps; ++i) step();
    return value();
  }
};

/// Sets up a case. @throws td::Error when this machine cannot run it.
std::unique_ptr<Job> make_job(const Case& c, Rank rank = {});

/// Used by make_job.
///@{
std::unique_ptr<Job> make_copy(const Case& c);
std::unique_ptr<Job> make_matmul(const Case& c);
std::unique_ptr<Job> make_training(const Case& c, Rank rank);
///@}

/// Gives the host as many threads as the case may use. Call it before steps: the number is one for
/// the whole process, and another case may have changed it.
void set_threads(const Case& c);

}  // namespace timing
