// Adam and AdamW: the update rule, the kernel that applies it to a list of parameters, and the step
// that launches it. Invariant: one launch updates up to 12 parameters. With capturable(true) the
// same rule and loops run as capturable_list.h says.
#include "td/optim/adam.h"

#include <cmath>

#include "td/autograd/modes.h"
#include "td/base/span.h"
#include "td/device/graph.h"
#include "td/ops/state.h"
#include "td/optim/capturable_list.h"
#include "td/optim/parameter_list.h"

namespace td::optim {
namespace {

/// The update of one element, in the type C that it is computed in.
template <class C>
struct AdamRule {
  C beta1, beta2, new1, new2;  // new = 1 - beta, taken in double: 1 - 0.999f has 4 digits
  C eps, decay, shrink;        // decay enters the gradient, shrink scales the parameter
  C step_size = 0, root = 0;   // lr / (1 - beta1^t), sqrt(1 - beta2^t)
  C unscale = 1;               // gradients are multiplied by it

  TD_HD C update(C p, C g, C* average, C* square, C* largest) const {
    p *= shrink;
    g += decay * p;
    *average = beta1 * *average + new1 * g;
    *square = beta2 * *square + new2 * g * g;
    C scale = *square;
    if (largest) scale = *largest = scale > *largest ? scale : *largest;
    return p - step_size * *average / (std::sqrt(scale) / root + eps);
  }
  TD_HD void read(const double* state) {  // of a capturable step, see DeviceStepState
    step_size = static_cast<C>(state[1]);
    root = static_cast<C>(state[2]);
    shrink = static_cast<C>(state[3]);
  }
};

constexpr int kAdamTensors = 12, kAdamCapturable = 10;

template <class T>
struct AdamWork : ParameterList<kAdamTensors> {
  using C = compute_t<T>;
  T* param[kMax];
  const T* grad[kMax];
  T* average[kMax];  // of the gradients
  T* square[kMax];   // average of their squares
  T* largest[kMax];  // the largest `square` so far, for amsgrad; else nullptr
  C step_size[kMax], root[kMax];
  AdamRule<C> rule;

  TD_HD AdamRule<C> rule_of(int k) const {
    AdamRule<C> r = rule;
    r.step_size = step_size[k];
    r.root = root[k];
    return r;
  }
  TD_HD void update_one(const AdamRule<C>& r, int k, std::int64_t i) const {
    C a = static_cast<C>(average[k][i]), sq = static_cast<C>(square[k][i]);
    C l = largest[k] ? static_cast<C>(largest[k][i]) : C(0);
    param[k][i] =
        static_cast<T>(r.update(static_cast<C>(param[k][i]), r.unscale * static_cast<C>(grad[k][i]),
                                &a, &sq, largest[k] ? &l : nullptr));
    average[k][i] = static_cast<T>(a);
    square[k][i] = static_cast<T>(sq);
    if (largest[k]) largest[k][i] = static_cast<T>(l);
  }
  // One function for plain and capturable steps, so that both round alike.
  [[gnu::noinline]] void update(const AdamRule<C> r, int k, std::int64_t from,
                                std::int64_t to) const {
    if (largest[k]) {
      for (std::int64_t i = from; i < to; ++i) update_one(r, k, i);
      return;
    }
    T* __restrict p = param[k];
    const T* __restrict g = grad[k];
    T* __restrict average_k = average[k];
    T* __restrict square_k = square[k];
    for (std::int64_t i = from; i < to; ++i) {
      C a = static_cast<C>(average_k[i]), sq = static_cast<C>(square_k[i]);
      p[i] = static_cast<T>(
          r.update(static_cast<C>(p[i]), r.unscale * static_cast<C>(g[i]), &a, &sq, nullptr));
      average_k[i] = static_cast<T>(a);
      square_k[i] = static_cast<T>(sq);
    }
  }
};

void to_layout(Tensor& state, const Tensor& param) {
  state = state.defined() ? in_layout(state, param) : zeros_in_layout(param);
}

/// Counts a plain step on the host.
std::int64_t count_step(AdamParamState& state, Device device) {
  if (capturing_graph && !device.is_cpu())
    fail_in_capture("Adam",
                    "Its count of steps lies on the host and would be the same in each replay. "
                    "Make it with AdamOptions(lr).capturable(true).");
  return ++state.step();
}

/// Launches the update of one list of parameters of type T.
template <class T, class Options>
void update(const Options& o, bool decoupled, StepList& list) {
  using C = compute_t<T>;
  const auto& [beta1, beta2] = o.betas();
  const double decay = decoupled ? o.weight_decay() : 0;
  AdamWork<T> work;
  work.rule = {C(beta1),
               C(beta2),
               C(1 - beta1),
               C(1 - beta2),
               C(o.eps()),
               C(decoupled ? 0 : o.weight_decay()),
               C(decoupled ? 1 - o.lr() * o.weight_decay() : 1)};
  LaunchTensors tensors;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Tensor& param = list.param(k);
    auto& state = list.state<AdamParamState>(k);
    to_layout(state.exp_avg(), param);
    to_layout(state.exp_avg_sq(), param);
    if (o.amsgrad()) to_layout(state.max_exp_avg_sq(), param);
    work.param[k] = tensors.writes<T>(param);
    work.grad[k] = tensors.reads<T>(list.grad(k));
    work.average[k] = tensors.writes<T>(state.exp_avg());
    work.square[k] = tensors.writes<T>(state.exp_avg_sq());
    work.largest[k] = tensors.writes<T>(state.max_exp_avg_sq());
    work.append(param.numel());
    if (o.capturable()) continue;  // the device counts, and computes what follows
    const auto t = static_cast<double>(count_step(state, param.device()));
    work.step_size[k] = C(o.lr() / (1 - std::pow(beta1, t)));
    work.root[k] = C(std::sqrt(1 - std::pow(beta2, t)));
  }
  if (o.capturable()) return launch_capturable("adam", work, tensors, list, {beta1, beta2, decay});
  tensors.launch("adam", work);
}

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

}  // namespace

template <class Options, bool decoupled>
Tensor AdamBase<Options, decoupled>::step(LossClosure closure) {
  Tensor loss = loss_of(closure);
  const trace::Span span(decoupled ? "AdamW.step" : "Adam.step", trace::Category::kOperator);
  NoGradGuard no_grad;
  for (OptimizerParamGroup& group : param_groups()) {
    auto& options = static_cast<Options&>(group.options());
    StepList list(*this, "adam", group, options.capturable() ? kAdamCapturable : kAdamTensors);
    while (list.next())
      dispatch_floats("adam", list.dtype(), [&](auto type) {
        update<typename decltype(type)::type>(options, decoupled, list);
      });
  }
  return loss;
}

template <class Options, bool decoupled>
AdamBase<Options, decoupled>::AdamBase(std::vector<OptimizerParamGroup> groups, Options defaults)
    : Optimizer(std::move(groups), defaults.clone()) {
  check_options(defaults);
  for (const OptimizerParamGroup& group : param_groups())
    check_options(static_cast<const Options&>(group.options()));
}

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
  state.insert(prefix + "step", number_entry(on_device.count(step_)));
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

template struct AdamOptionsBase<AdamOptions>;
template struct AdamOptionsBase<AdamWOptions>;
template class AdamBase<AdamOptions, false>;
template class AdamBase<AdamWOptions, true>;

}  // namespace td::optim
