// SGD: checks options, keeps momentum buffers, and hands lists of parameters to the fused kernel.
#include "td/optim/sgd.h"

#include "td/autograd/record.h"
#include "td/device/capture.h"
#include "td/optim/kernels.h"
#include "td/ops/ops.h"
#include "td/optim/fused.h"
#include "td/base/span.h"

namespace td::optim {

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
  const bool has_value = momentum_buffer_.defined() && steps_on_device.count(1) > 0;
  if (has_value) state.insert(prefix + "momentum_buffer", momentum_buffer_);
}
void SGDParamState::load(const std::string& prefix, const StateDict& state) {
  if (const Tensor* found = state.find(prefix + "momentum_buffer"))
    momentum_buffer_ = found->clone();
}

namespace {

void check_options(const SGDOptions& o) {
  TD_CHECK(Error, o.lr() >= 0, "SGD: invalid learning rate ", o.lr(), "; it must be 0 or more");
  TD_CHECK(Error, o.momentum() >= 0, "SGD: invalid momentum ", o.momentum(),
           "; it must be 0 or more");
  TD_CHECK(Error, o.weight_decay() >= 0, "SGD: invalid weight_decay ", o.weight_decay(),
           "; it must be 0 or more");
  TD_CHECK(Error, !o.nesterov() || (o.momentum() > 0 && o.dampening() == 0),
           "SGD: nesterov needs a momentum above 0 and a dampening of 0");
}

// What the kernel needs of a parameter's state.
struct Momentum {
  const Tensor* buffer = nullptr;   // nullptr without momentum
  bool first = false;               // the buffer has no value yet
  const Tensor* numbers = nullptr;  // of a capturable step, which tells on the device what is first
};

Momentum momentum_on_device(SGDParamState& state, const Tensor& target, bool wanted) {
  Tensor& buffer = state.momentum_buffer();
  if (wanted && !buffer.defined()) state.steps_on_device.clear();  // its first step is to come
  const Tensor& numbers = state.steps_on_device.on(target.device(), buffer.defined());
  if (!wanted) return {nullptr, false, &numbers};
  buffer = buffer.defined() ? in_layout(buffer, target) : zeros_in_layout(target);
  return {&buffer, false, &numbers};
}

Momentum momentum_on_host(SGDParamState& state, const Tensor& target) {
  Tensor& buffer = state.momentum_buffer();
  const bool first = !buffer.defined() || state.steps_on_device.count(1) == 0;
  state.steps_on_device.clear();
  buffer = buffer.defined() ? in_layout(buffer, target) : empty_like(target);
  return {&buffer, first, nullptr};
}

// Collects parameters of one device and type until the kernel's list is full.
class Batch {
 public:
  Batch(SGDOptions& o, const DeviceDecision& decision) : options_(o), decision_(decision) {}

  void add(const Tensor& param, Tensor gradient, const Momentum& momentum) {
    const std::size_t most = options_.capturable() ? kernels::kSgdCapturable : kernels::kSgdTensors;
    if (count_ == most || (count_ && !fits(param))) run();
    about_to_change("sgd", param);
    gradients_[count_] = std::move(gradient);
    tensors_[count_] = {&param, &gradients_[count_], momentum.buffer, momentum.first,
                        momentum.numbers};
    ++count_;
  }
  void run() {
    if (!count_) return;
    SGDOptions& o = options_;
    const kernels::SgdNumbers numbers{o.lr(), o.momentum(), o.dampening(), o.weight_decay(),
                                      o.nesterov()};
    if (o.capturable()) {
      const Device device = tensors_[0].param->device();
      const ControlOn control(o.device_lr().on(device, o.lr()), decision_);
      kernels::sgd(tensors_, count_, numbers, control.get());
    } else {
      if (capturing_graph && !tensors_[0].param->is_cpu()) o.device_lr().frozen_in_graph(o.lr());
      kernels::sgd(tensors_, count_, numbers);
    }
    while (count_) gradients_[--count_] = Tensor();
  }

 private:
  bool fits(const Tensor& param) const {
    const Tensor& first = *tensors_[0].param;
    return first.device() == param.device() && first.dtype() == param.dtype();
  }
  SGDOptions& options_;
  const DeviceDecision& decision_;
  kernels::SgdTensors tensors_[kernels::kSgdTensors];
  Tensor gradients_[kernels::kSgdTensors];
  std::size_t count_ = 0;
};

}  // namespace

SGD::SGD(std::vector<OptimizerParamGroup> groups, SGDOptions defaults)
    : Optimizer(std::move(groups), defaults.clone()) {
  check_options(defaults);
  for (const OptimizerParamGroup& group : param_groups())
    check_options(static_cast<const SGDOptions&>(group.options()));
}
SGD::SGD(TensorList params, SGDOptions defaults)
    : SGD(std::vector<OptimizerParamGroup>{std::move(params)}, std::move(defaults)) {}

Tensor SGD::step(LossClosure closure) {
  Tensor loss = loss_of(closure);
  const trace::Span span("SGD.step", trace::Category::kOperator);
  NoGradGuard no_grad;
  for (OptimizerParamGroup& group : param_groups()) {
    auto& options = static_cast<SGDOptions&>(group.options());
    Batch batch(options, decision());
    for (const Tensor& param : group.params()) {
      if (!param.grad().defined()) continue;
      // The kernel walks flat memory; a parameter with gaps is stepped on as a copy.
      const bool dense = is_dense(param);
      const Tensor copy = dense ? Tensor() : param.contiguous();
      const Tensor& target = dense ? param : copy;
      Tensor gradient =
          dense ? gradient_for("sgd", param) : in_layout(gradient_for("sgd", param), copy);
      Momentum momentum;
      if (options.capturable())
        momentum = momentum_on_device(state_of<SGDParamState>(param), target,
                                      /*wanted=*/options.momentum() != 0);
      else if (options.momentum() != 0)
        momentum = momentum_on_host(state_of<SGDParamState>(param), target);
      batch.add(target, std::move(gradient), momentum);
      if (dense) continue;
      batch.run();
      Tensor(param).copy_(copy);
    }
    batch.run();
  }
  return loss;
}

}  // namespace td::optim
