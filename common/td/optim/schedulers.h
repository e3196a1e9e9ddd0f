// Learning rates that change from epoch to epoch: call step() once after each epoch. A scheduler
// holds a reference to its optimizer, which must live longer.
#pragma once

#include <functional>

#include "td/optim/optimizer.h"

namespace td::optim {

/// Base of schedulers.
class LRScheduler {
 public:
  explicit LRScheduler(Optimizer& optimizer) : optimizer_(optimizer) {}
  LRScheduler(const LRScheduler&) = delete;
  LRScheduler& operator=(const LRScheduler&) = delete;
  virtual ~LRScheduler() = default;
  /// Sets the learning rate of every group for the next epoch.
  void step();

  /// How far the schedule is: the number of calls and the rates that it started from. The
  /// optimizer's own state holds the present rates.
  StateDict state_dict() const;
  /// Loads such a state. @throws Error when it is another schedule's; nothing is changed then.
  void load_state_dict(const StateDict& state);

 protected:
  /// The new rates, one per group.
  virtual std::vector<double> get_lrs() = 0;
  /// The learning rate of every group.
  std::vector<double> get_current_lrs() const;

  /// How often step was called.
  unsigned step_count_ = 0;
  /// The rates of the groups at the start, for schedules that compute from them; else empty.
  std::vector<double> base_;

 private:
  Optimizer& optimizer_;
};

/// Multiplies the rate by `gamma` every `step_size` calls. As in libtorch 1.13, the first decay
/// comes one call late: step size 3 from 0.1 trains four epochs at 0.1 and then three at 0.05
/// (gamma 0.5). Python's decays after three.
class StepLR : public LRScheduler {
 public:
  /// @param step_size at least 1.
  StepLR(Optimizer& optimizer, unsigned step_size, double gamma = 0.1);

 protected:
  std::vector<double> get_lrs() override;

 private:
  unsigned step_size_;
  double gamma_;
};

/// rate = base rate * f(epoch); epoch 0 is set by the constructor (Python's LambdaLR).
class LambdaLR : public LRScheduler {
 public:
  LambdaLR(Optimizer& optimizer, std::function<double(unsigned epoch)> factor);

 protected:
  std::vector<double> get_lrs() override;

 private:
  std::function<double(unsigned)> factor_;
};

}  // namespace td::optim
