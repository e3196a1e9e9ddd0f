// Adam and AdamW: checks options, keeps the averages, and hands lists of parameters to the fused
// kernel.
#include "td/optim/adam.h"

#include "td/autograd/record.h"
#include "td/device/capture.h"
#include "td/optim/kernels.h"
#include "td/ops/ops.h"
#include "td/ops/state.h"
#include "td/optim/fused.h"
#include "td/base/span.h"

namespace td::optim {

template <class Derived>
void AdamOptionsBase<Derived>::visit(const std::function<void(const char*, double&)>& f) {
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
  state.insert(prefix + "step", number_entry(steps_on_device.count(step_)));
  state.insert(prefix + "exp_avg", exp_avg_);
  state.insert(prefix + "exp_avg_sq", exp_avg_sq_);
  if (max_exp_avg_sq_.defined()) state.insert(prefix + "max_exp_avg_sq", max_exp_avg_sq_);
}
void AdamParamState::load(const std::string& prefix, const StateDict& state) {
  if (state.contains(prefix + "step")) step_ = number_in(state, prefix + "step");
  // So many steps nobody makes, and the next one must not overflow.
  TD_CHECK(Error, step_ >= 0 && step_ < std::int64_t{1} << 53, "load_state_dict: \"", prefix,
           "step\" is ", step_, " in the state; expected a number of steps, 0 or more");
  const auto take = [&](const char* name, Tensor& into) {
    if (const Tensor* found = state.find(prefix + name)) into = found->clone();
  };
  take("exp_avg", exp_avg_);
  take("exp_avg_sq", exp_avg_sq_);
  take("max_exp_avg_sq", max_exp_avg_sq_);
}

namespace {

template <class Options>
void check_options(const Options& o) {
  const double beta1 = std::get<0>(o.betas()), beta2 = std::get<1>(o.betas());
  TD_CHECK(Error, o.lr() >= 0, "Adam: invalid learning rate ", o.lr(), "; it must be 0 or more");
  TD_CHECK(Error, o.eps() >= 0, "Adam: invalid eps ", o.eps(), "; it must be 0 or more");
  TD_CHECK(Error, beta1 >= 0 && beta1 < 1, "Adam: invalid first beta ", beta1,
           "; it must be at least 0 and below 1");
  TD_CHECK(Error, beta2 >= 0 && beta2 < 1, "Adam: invalid second beta ", beta2,
           "; it must be at least 0 and below 1");
  TD_CHECK(Error, o.weight_decay() >= 0, "Adam: invalid weight_decay ", o.weight_decay(),
           "; it must be 0 or more");
}

// Collects parameters of one device and type until the kernel's list is full.
template <class Options, bool decoupled>
class Batch {
 public:
  Batch(Options& o, const DeviceDecision& decision) : options_(o), decision_(decision) {}

  void add(const Tensor& param, Tensor gradient, AdamParamState& state, const Tensor* numbers) {
    const std::size_t most =
        options_.capturable() ? kernels::kAdamCapturable : kernels::kAdamTensors;
    if (count_ == most || (count_ && !fits(param))) run();
    about_to_change("adam", param);
    gradients_[count_] = std::move(gradient);
    Tensor& largest = state.max_exp_avg_sq();
    tensors_[count_] = {&param,
                        &gradients_[count_],
                        &state.exp_avg(),
                        &state.exp_avg_sq(),
                        largest.defined() ? &largest : nullptr,
                        state.step(),
                        numbers};
    ++count_;
  }
  void run() {
    if (!count_) return;
    Options& o = options_;
    const auto& [beta1, beta2] = o.betas();
    const kernels::AdamNumbers numbers{o.lr(), beta1, beta2, o.eps(), o.weight_decay(), decoupled};
    if (o.capturable()) {
      const Device device = tensors_[0].param->device();
      const ControlOn control(o.device_lr().on(device, o.lr()), decision_);
      kernels::adam(tensors_, count_, numbers, control.get());
    } else {
      kernels::adam(tensors_, count_, numbers);
    }
    while (count_) gradients_[--count_] = Tensor();
  }

 private:
  bool fits(const Tensor& param) const {
    const Tensor& first = *tensors_[0].param;
    return first.device() == param.device() && first.dtype() == param.dtype();
  }
  Options& options_;
  const DeviceDecision& decision_;
  kernels::AdamTensors tensors_[kernels::kAdamTensors];
  Tensor gradients_[kernels::kAdamTensors];
  std::size_t count_ = 0;
};

// Counts on the host, or gives the numbers with which the device will.
const Tensor* count_step(AdamParamState& state, Device device, bool capturable) {
  if (capturable) return &state.steps_on_device.on(device, state.step());
  if (capturing_graph && !device.is_cpu())
    refuse_in_capture("Adam",
                      "Its count of steps lies on the host and would be the same in each replay. "
                      "Make it with AdamOptions(lr).capturable(true).");
  if (state.steps_on_device.defined()) {
    state.step() = state.steps_on_device.count(0);
    state.steps_on_device.clear();
  }
  ++state.step();
  return nullptr;
}

void follow(Tensor& state, const Tensor& param) {
  state = state.defined() ? in_layout(state, param) : zeros_in_layout(param);
}

}  // namespace

template <class Options, bool decoupled>
AdamBase<Options, decoupled>::AdamBase(std::vector<OptimizerParamGroup> groups, Options defaults)
    : Optimizer(std::move(groups), defaults.clone()) {
  check_options(defaults);
  for (const OptimizerParamGroup& group : param_groups())
    check_options(static_cast<const Options&>(group.options()));
}

template <class Options, bool decoupled>
Tensor AdamBase<Options, decoupled>::step(LossClosure closure) {
  Tensor loss = loss_of(closure);
  const trace::Span span(decoupled ? "AdamW.step" : "Adam.step", trace::Category::kOperator);
  NoGradGuard no_grad;
  for (OptimizerParamGroup& group : param_groups()) {
    auto& o = static_cast<Options&>(group.options());
    Batch<Options, decoupled> batch(o, decision());
    for (const Tensor& param : group.params()) {
      if (!param.grad().defined()) continue;
      // The kernel walks flat memory; a parameter with gaps is stepped on as a copy.
      const bool dense = is_dense(param);
      const Tensor copy = dense ? Tensor() : param.contiguous();
      const Tensor& target = dense ? param : copy;
      Tensor gradient =
          dense ? gradient_for("adam", param) : in_layout(gradient_for("adam", param), copy);
      auto& state = state_of<AdamParamState>(param);
      follow(state.exp_avg(), target);
      follow(state.exp_avg_sq(), target);
      if (o.amsgrad()) follow(state.max_exp_avg_sq(), target);
      const Tensor* numbers = count_step(state, target.device(), o.capturable());
      batch.add(target, std::move(gradient), state, numbers);
      if (dense) continue;
      batch.run();
      Tensor(param).copy_(copy);
    }
    batch.run();
  }
  return loss;
}

template struct AdamOptionsBase<AdamOptions>;
template struct AdamOptionsBase<AdamWOptions>;
template class AdamBase<AdamOptions, false>;
template class AdamBase<AdamWOptions, true>;

}  // namespace td::optim
