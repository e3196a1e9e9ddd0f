// What SGD accepts as options, and its options and state by name. The step is in sgd.cu.
#include "td/optim/sgd.h"

namespace td::optim {

SGD::SGD(std::vector<OptimizerParamGroup> groups, SGDOptions defaults)
    : Optimizer(std::move(groups), defaults.clone()) {}
SGD::SGD(TensorList params, SGDOptions defaults)
    : SGD(std::vector<OptimizerParamGroup>{std::move(params)}, std::move(defaults)) {}

std::unique_ptr<OptimizerParamState> SGD::make_state() const {
  return std::make_unique<SGDParamState>();
}

SGDOptions::SGDOptions(double lr) : lr_(lr) {}
void SGDOptions::check() const {
  TD_CHECK(Error, lr_ >= 0, "SGD: invalid learning rate ", lr_, "; it must be 0 or more");
  TD_CHECK(Error, momentum_ >= 0, "SGD: invalid momentum ", momentum_, "; it must be 0 or more");
  TD_CHECK(Error, weight_decay_ >= 0, "SGD: invalid weight_decay ", weight_decay_,
           "; it must be 0 or more");
  TD_CHECK(Error, !nesterov_ || (momentum_ > 0 && dampening_ == 0),
           "SGD: nesterov needs a momentum above 0 and a dampening of 0");
}

void SGDOptions::visit(const std::function<void(const char*, double&)>& f) {
  f("lr", lr_);
  f("momentum", momentum_);
  f("dampening", dampening_);
  f("weight_decay", weight_decay_);
  double nesterov = nesterov_;
  f("nesterov", nesterov);
  nesterov_ = nesterov != 0;
}

void SGDParamState::save(const std::string& prefix, StateDict& state) const {
  const bool has_value = momentum_buffer_.defined() && on_device.count(1) > 0;
  if (has_value) state.insert(prefix + "momentum_buffer", momentum_buffer_);
}
void SGDParamState::load(const std::string& prefix, const StateDict& state) {
  if (const Tensor* found = state.find(prefix + "momentum_buffer"))
    momentum_buffer_ = found->clone();
}
void SGDParamState::set_steps(std::int64_t steps) {
  if (steps == 0) momentum_buffer_ = Tensor();
}

}  // namespace td::optim
