// Computes the rates of the schedules, and saves and loads how far a schedule is.
#include "td/optim/schedulers.h"

#include <algorithm>

#include "td/ops/ops.h"
#include "td/ops/state.h"

namespace td::optim {

void LRScheduler::step() {
  const std::vector<double> rates = get_lrs();
  auto& groups = optimizer_.param_groups();
  TD_CHECK(Error, rates.size() == groups.size(), "learning rate schedule: ", rates.size(),
           " rates for ", groups.size(),
           " parameter groups; make the scheduler after the last add_param_group");
  for (std::size_t g = 0; g < groups.size(); ++g) groups[g].options().set_lr(rates[g]);
  ++step_count_;
}

StateDict LRScheduler::state_dict() const {
  StateDict state("Entry");
  state.insert("step_count", number_entry(step_count_));
  state.insert("base_lrs", tensor(base_, kDouble));
  return state;
}
void LRScheduler::load_state_dict(const StateDict& state) {
  const std::int64_t count = number_in(state, "step_count");
  const Tensor base = state["base_lrs"].to(kDouble).cpu().contiguous();
  TD_CHECK(Error, base.dim() == 1 && base.size(0) == static_cast<std::int64_t>(base_.size()),
           "load_state_dict: the state has ", base.sizes(),
           " rates to start from but this schedule has [", base_.size(),
           "]; it belongs to another schedule, or to an optimizer with other parameter groups");
  step_count_ = static_cast<unsigned>(count);
  std::copy_n(base.data_ptr<double>(), base_.size(), base_.begin());
}

std::vector<double> LRScheduler::get_current_lrs() const {
  std::vector<double> rates;
  for (const OptimizerParamGroup& group : optimizer_.param_groups())
    rates.push_back(group.options().get_lr());
  return rates;
}

StepLR::StepLR(Optimizer& optimizer, unsigned step_size, double gamma)
    : LRScheduler(optimizer), step_size_(step_size), gamma_(gamma) {
  TD_CHECK(Error, step_size > 0, "StepLR: step_size must be at least 1");
}
std::vector<double> StepLR::get_lrs() {
  std::vector<double> rates = get_current_lrs();
  if (step_count_ != 0 && step_count_ % step_size_ == 0)
    for (double& rate : rates) rate *= gamma_;
  return rates;
}

LambdaLR::LambdaLR(Optimizer& optimizer, std::function<double(unsigned epoch)> factor)
    : LRScheduler(optimizer), factor_(std::move(factor)) {
  base_ = get_current_lrs();
  step();
}
std::vector<double> LambdaLR::get_lrs() {
  std::vector<double> rates = base_;
  for (double& rate : rates) rate *= factor_(step_count_);
  return rates;
}

}  // namespace td::optim
