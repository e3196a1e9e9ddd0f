// What Adam and AdamW accept as options, and their options and state by name. The step is in
// adam.cu.
#include "td/optim/adam.h"

#include "td/ops/state.h"

namespace td::optim {

template <bool decoupled>
void AdamOptionsBase<decoupled>::check() const {
  const auto& [beta1, beta2] = betas_;
  TD_CHECK(Error, lr_ >= 0, "Adam: invalid learning rate ", lr_, "; it must be 0 or more");
  TD_CHECK(Error, eps_ >= 0, "Adam: invalid eps ", eps_, "; it must be 0 or more");
  TD_CHECK(Error, beta1 >= 0 && beta1 < 1, "Adam: invalid first beta ", beta1,
           "; it must be at least 0 and below 1");
  TD_CHECK(Error, beta2 >= 0 && beta2 < 1, "Adam: invalid second beta ", beta2,
           "; it must be at least 0 and below 1");
  TD_CHECK(Error, weight_decay_ >= 0, "Adam: invalid weight_decay ", weight_decay_,
           "; it must be 0 or more");
}

template <bool decoupled>
void AdamOptionsBase<decoupled>::visit(const std::function<void(const char*, double&)>& f) {
  f("lr", lr_);
  f("betas.0", std::get<0>(betas_));
  f("betas.1", std::get<1>(betas_));
  f("eps", eps_);
  f("weight_decay", weight_decay_);
  double amsgrad = amsgrad_;
  f("amsgrad", amsgrad);
  amsgrad_ = amsgrad != 0;
}

void AdamParamState::save(const std::string& prefix, StateDict& state) const {
  if (!exp_avg_.defined()) return;
  state.insert(prefix + "step", number_entry(on_device.count(step_)));
  state.insert(prefix + "exp_avg", exp_avg_);
  state.insert(prefix + "exp_avg_sq", exp_avg_sq_);
  if (max_exp_avg_sq_.defined()) state.insert(prefix + "max_exp_avg_sq", max_exp_avg_sq_);
}
void AdamParamState::load(const std::string& prefix, const StateDict& state) {
  const Tensor* step = state.find(prefix + "step");
  if (step && step->dtype() == kLong && step->dim() == 0) step_ = step->item<std::int64_t>();
  // No training takes so many steps, and the next one must not overflow.
  TD_CHECK(Error, step_ >= 0 && step_ < std::int64_t{1} << 53, "load_state_dict: \"", prefix,
           "step\" is ", step_, " in the state; expected a number of steps, 0 or more");
  if (const Tensor* found = state.find(prefix + "exp_avg")) exp_avg_ = found->clone();
  if (const Tensor* found = state.find(prefix + "exp_avg_sq")) exp_avg_sq_ = found->clone();
  if (const Tensor* found = state.find(prefix + "max_exp_avg_sq")) max_exp_avg_sq_ = found->clone();
}

template struct AdamOptionsBase<false>;
template struct AdamOptionsBase<true>;

}  // namespace td::optim
