// Learning rates that change from epoch to epoch: call step() once after each epoch. A scheduler
// holds a reference to its optimizer, which must live longer.
#pragma once

#include <algorithm>
#include <functional>

#include "td/ops/ops.h"
#include "td/ops/state.h"
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
  void step() {
    set_optimizer_lrs(get_lrs());
    ++step_count_;
  }

  /// Where the schedule stands: the number of calls and the rates that it started from. The
  /// optimizer's own state holds the present rates.
  StateDict state_dict() const {
    StateDict state("Entry");
    state.insert("step_count", number_entry(step_count_));
    state.insert("base_lrs", tensor(base_, kDouble));
    return state;
  }
  /// Puts that back. @throws Error when the state is another schedule's; nothing is changed then.
  void load_state_dict(const StateDict& state) {
    const std::int64_t count = number_in(state, "step_count");
    const Tensor base = state["base_lrs"].to(kDouble).cpu().contiguous();
    TD_CHECK(Error, base.dim() == 1 && base.size(0) == static_cast<std::int64_t>(base_.size()),
             "load_state_dict: the state has ", base.sizes(),
             " rates to start from but this schedule has [", base_.size(),
             "]; it belongs to another schedule, or to an optimizer with other parameter groups");
    step_count_ = static_cast<unsigned>(count);
    std::copy_n(base.data_ptr<double>(), base_.size(), base_.begin());
  }

 protected:
  /// The new rates, one a group.
  virtual std::vector<double> get_lrs() = 0;
  /// The learning rate of every group.
  std::vector<double> get_current_lrs() const {
    std::vector<double> rates;
    for (const OptimizerParamGroup& group : optimizer_.param_groups())
      rates.push_back(group.options().get_lr());
    return rates;
  }
  /// Sets the learning rate of every group.
  void set_optimizer_lrs(const std::vector<double>& rates) {
    auto& groups = optimizer_.param_groups();
    TD_CHECK(Error, rates.size() == groups.size(), "learning rate schedule: ", rates.size(),
             " rates for ", groups.size(),
             " parameter groups; make the scheduler after the last add_param_group");
    for (std::size_t g = 0; g < groups.size(); ++g) groups[g].options().set_lr(rates[g]);
  }

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
  StepLR(Optimizer& optimizer, unsigned step_size, double gamma = 0.1)
      : LRScheduler(optimizer), step_size_(step_size), gamma_(gamma) {
    TD_CHECK(Error, step_size > 0, "StepLR: step_size must be at least 1");
  }

 protected:
  std::vector<double> get_lrs() override {
    std::vector<double> rates = get_current_lrs();
    if (step_count_ != 0 && step_count_ % step_size_ == 0)
      for (double& rate : rates) rate *= gamma_;
    return rates;
  }

 private:
  unsigned step_size_;
  double gamma_;
};

/// rate = base rate * f(epoch); epoch 0 is set by the constructor (Python's LambdaLR).
class LambdaLR : public LRScheduler {
 public:
  LambdaLR(Optimizer& optimizer, std::function<double(unsigned epoch)> factor)
      : LRScheduler(optimizer), factor_(std::move(factor)) {
    base_ = get_current_lrs();
    step();
  }

 protected:
  std::vector<double> get_lrs() override {
    std::vector<double> rates = base_;
    for (double& rate : rates) rate *= factor_(step_count_);
    return rates;
  }

 private:
  std::function<double(unsigned)> factor_;
};

}  // namespace td::optim
