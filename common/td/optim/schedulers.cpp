// The schedules' formulas.
#include "td/optim/schedulers.h"

#include <cmath>
#include <numbers>

namespace td::optim {

void LRScheduler::step() {
  set_optimizer_lrs(get_lrs());
  ++step_count_;
}

std::vector<double> LRScheduler::get_current_lrs() const {
  std::vector<double> rates;
  for (const OptimizerParamGroup& group : optimizer_.param_groups())
    rates.push_back(group.options().get_lr());
  return rates;
}

void LRScheduler::set_optimizer_lrs(const std::vector<double>& rates) {
  auto& groups = optimizer_.param_groups();
  TD_CHECK(Error, rates.size() == groups.size(), "learning rate schedule: ", rates.size(),
           " rates for ", groups.size(),
           " parameter groups; make the scheduler after the last "
           "add_param_group");
  for (std::size_t g = 0; g < groups.size(); ++g) groups[g].options().set_lr(rates[g]);
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

LambdaLR::LambdaLR(Optimizer& optimizer, std::function<double(unsigned)> factor)
    : LRScheduler(optimizer), base_(get_current_lrs()), factor_(std::move(factor)) {
  step();
}
std::vector<double> LambdaLR::get_lrs() {
  std::vector<double> rates = base_;
  for (double& rate : rates) rate *= factor_(step_count_);
  return rates;
}

CosineAnnealingLR::CosineAnnealingLR(Optimizer& optimizer, unsigned T_max, double eta_min)
    : LRScheduler(optimizer), base_(get_current_lrs()), t_max_(T_max), eta_min_(eta_min) {
  TD_CHECK(Error, T_max > 0, "CosineAnnealingLR: T_max must be at least 1");
  step();
}
std::vector<double> CosineAnnealingLR::get_lrs() {
  std::vector<double> rates = base_;
  const double turn = std::cos(std::numbers::pi * step_count_ / t_max_);
  for (double& rate : rates) rate = eta_min_ + (rate - eta_min_) * (1 + turn) / 2;
  return rates;
}

}  // namespace td::optim
