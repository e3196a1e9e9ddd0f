// SGD: the update rule, the kernel that applies it to a list of parameters, and the step that
// launches it. Invariant: one launch updates up to 16 parameters. With capturable(true) the same
// rule and loops run as capturable_list.h says.
#include "td/optim/sgd.h"

#include "td/autograd/modes.h"
#include "td/base/span.h"
#include "td/optim/capturable_list.h"
#include "td/optim/parameter_list.h"

namespace td::optim {
namespace {

/// The update of one element, in the type C that it is computed in.
template <class C>
struct SgdRule {
  C lr, momentum, keep, decay;  // keep = 1 - dampening
  bool nesterov;
  bool first = false;  // the momentum buffer has no value yet
  C unscale = 1;       // gradients are multiplied by it

  TD_HD C plain(C p, C g) const { return p - lr * (g + decay * p); }
  TD_HD C with_momentum(C p, C g, C* buffer) const {
    g += decay * p;
    *buffer = first ? g : momentum * *buffer + keep * g;
    return p - lr * (nesterov ? g + momentum * *buffer : *buffer);
  }
  TD_HD void read(const double* state) {  // of a capturable step, see DeviceStepState
    first = state[0] == 1;
    lr = static_cast<C>(state[1]);
  }
};

constexpr int kSgdTensors = 16, kSgdCapturable = 15;

template <class T>
struct SgdWork : ParameterList<kSgdTensors> {
  using C = compute_t<T>;
  T* param[kMax];
  const T* grad[kMax];
  T* momentum[kMax];  // nullptr without momentum
  SgdRule<C> rule;
  std::uint32_t first = 0;  // one bit per tensor

  TD_HD SgdRule<C> rule_of(int k) const {
    SgdRule<C> r = rule;
    r.first = first >> k & 1;
    return r;
  }
  // One function for plain and capturable steps, so that both round alike.
  [[gnu::noinline]] void update(const SgdRule<C> r, int k, std::int64_t from,
                                std::int64_t to) const {
    T* __restrict p = param[k];
    const T* __restrict g = grad[k];
    T* __restrict m = momentum[k];
    if (!m) {
      for (std::int64_t i = from; i < to; ++i)
        p[i] = static_cast<T>(r.plain(static_cast<C>(p[i]), r.unscale * static_cast<C>(g[i])));
      return;
    }
    for (std::int64_t i = from; i < to; ++i) {
      C buffer = r.first ? C(0) : static_cast<C>(m[i]);
      p[i] = static_cast<T>(
          r.with_momentum(static_cast<C>(p[i]), r.unscale * static_cast<C>(g[i]), &buffer));
      m[i] = static_cast<T>(buffer);
    }
  }
  TD_HD void update_one(const SgdRule<C>& r, int k, std::int64_t i) const {
    const C p = static_cast<C>(param[k][i]), g = r.unscale * static_cast<C>(grad[k][i]);
    if (!momentum[k]) {
      param[k][i] = static_cast<T>(r.plain(p, g));
      return;
    }
    C buffer = r.first ? C(0) : static_cast<C>(momentum[k][i]);
    param[k][i] = static_cast<T>(r.with_momentum(p, g, &buffer));
    momentum[k][i] = static_cast<T>(buffer);
  }
};

/// Launches the update of one list of parameters of type T.
template <class T>
void update(SGDOptions& o, StepList& list) {
  using C = compute_t<T>;
  SgdWork<T> work;
  work.rule = {C(o.lr()), C(o.momentum()), C(1 - o.dampening()), C(o.weight_decay()), o.nesterov()};
  LaunchTensors tensors;
  for (std::size_t k = 0; k < list.size(); ++k) {
    work.param[k] = tensors.writes<T>(list.param(k));
    work.grad[k] = tensors.reads<T>(list.grad(k));
    work.momentum[k] = nullptr;
    if (o.momentum() != 0) {
      Tensor& buffer = list.state<SGDParamState>(k).momentum_buffer();
      if (!buffer.defined()) work.first |= 1u << k;
      buffer = buffer.defined() ? in_layout(buffer, list.param(k)) : zeros_in_layout(list.param(k));
      work.momentum[k] = tensors.writes<T>(buffer);
    }
    work.append(list.param(k).numel());
  }
  if (o.capturable()) return launch_capturable("sgd", work, tensors, list, {}, work.first);
  o.note_step_on(list.device());
  tensors.launch("sgd", work);
}

void check_options(const SGDOptions& o) {
  TD_CHECK(Error, o.lr() >= 0, "SGD: invalid learning rate ", o.lr(), "; it must be 0 or more");
  TD_CHECK(Error, o.momentum() >= 0, "SGD: invalid momentum ", o.momentum(),
           "; it must be 0 or more");
  TD_CHECK(Error, o.weight_decay() >= 0, "SGD: invalid weight_decay ", o.weight_decay(),
           "; it must be 0 or more");
  TD_CHECK(Error, !o.nesterov() || (o.momentum() > 0 && o.dampening() == 0),
           "SGD: nesterov needs a momentum above 0 and a dampening of 0");
}

}  // namespace

Tensor SGD::step(LossClosure closure) {
  Tensor loss = loss_of(closure);
  const trace::Span span("SGD.step", trace::Category::kOperator);
  NoGradGuard no_grad;
  for (OptimizerParamGroup& group : param_groups()) {
    auto& options = static_cast<SGDOptions&>(group.options());
    StepList list(*this, "sgd", group, options.capturable() ? kSgdCapturable : kSgdTensors);
    while (list.next())
      dispatch_floats("sgd", list.dtype(),
                      [&](auto type) { update<typename decltype(type)::type>(options, list); });
  }
  return loss;
}

SGD::SGD(std::vector<OptimizerParamGroup> groups, SGDOptions defaults)
    : Optimizer(std::move(groups), defaults.clone()) {
  check_options(defaults);
  for (const OptimizerParamGroup& group : param_groups())
    check_options(static_cast<const SGDOptions&>(group.options()));
}
SGD::SGD(TensorList params, SGDOptions defaults)
    : SGD(std::vector<OptimizerParamGroup>{std::move(params)}, std::move(defaults)) {}

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
