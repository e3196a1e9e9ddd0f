// Adam and AdamW: the update rule, the kernel that applies it to a list of parameters, and the step
// that launches it; options and state are in adam.cpp. Invariant: one launch updates up to 12
// parameters.
#include "td/optim/adam.h"

#include <cmath>

#include "td/autograd/modes.h"
#include "td/base/span.h"
#include "td/optim/capturable_list.h"
#include "td/optim/parameter_list.h"
#include "td/optim/step_list.h"

namespace td::optim {
namespace {

/// The update of one element, in the type C that it is computed in.
template <class C>
struct AdamRule {
  C beta1, beta2, new1, new2;  // new = 1 - beta, taken in double: 1 - 0.999f has 4 digits
  C eps, decay, shrink;        // decay enters the gradient, shrink scales the parameter
  C step_size = 0, root = 0;   // lr / (1 - beta1^t), sqrt(1 - beta2^t)
  C unscale = 1;               // gradients are multiplied by it

  /// The new value of the parameter `p` with the gradient `g`. @param largest nullptr without
  /// amsgrad.
  TD_HD C operator()(C p, C g, C* average, C* square, C* largest) const {
    p *= shrink;
    g = unscale * g + decay * p;
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

template <class T>
struct AdamWork : StepWork<compute_t<T>, 12, 5> {  // parameter, gradient and three of its state
  using C = compute_t<T>;
  static constexpr int kMax = 12;
  static constexpr double kNanoseconds = 0.48;
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
    return this->in_step(r, k);
  }
  void update(const AdamRule<C> r, int k, std::int64_t from, std::int64_t to) const {
    T* __restrict p = param[k];
    const T* __restrict g = grad[k];
    T* __restrict a = average[k];
    T* __restrict s = square[k];
    T* __restrict l = largest[k];
    if (l)
      for (std::int64_t i = from; i < to; ++i) update_element(r, p[i], g[i], a[i], s[i], &l[i]);
    else
      for (std::int64_t i = from; i < to; ++i) update_element(r, p[i], g[i], a[i], s[i], nullptr);
  }
  TD_HD void update_one(const AdamRule<C>& r, int k, std::int64_t i) const {
    T* l = largest[k] ? &largest[k][i] : nullptr;
    update_element(r, param[k][i], grad[k][i], average[k][i], square[k][i], l);
  }
  TD_HD static void update_element(const AdamRule<C>& r, T& p, T g, T& average, T& square,
                                   T* largest) {
    C a = static_cast<C>(average), s = static_cast<C>(square);
    C l = largest ? static_cast<C>(*largest) : C(0);
    p = static_cast<T>(r(static_cast<C>(p), static_cast<C>(g), &a, &s, largest ? &l : nullptr));
    average = static_cast<T>(a);
    square = static_cast<T>(s);
    if (largest) *largest = static_cast<T>(l);
  }
};

/// Launches the update of one list of parameters of type T.
template <class T, bool decoupled>
void update(StepList& list) {
  using C = compute_t<T>;
  const auto& o = static_cast<AdamOptionsBase<decoupled>&>(*list.options);
  const auto& [beta1, beta2] = o.betas();
  const double decay = decoupled ? 0 : o.weight_decay();
  const double shrinking = decoupled ? o.weight_decay() : 0;
  AdamWork<T> work;
  work.rule = {C(beta1),
               C(beta2),
               C(1 - beta1),
               C(1 - beta2),
               C(o.eps()),
               C(decay),
               C(1 - o.lr() * shrinking)};
  LaunchTensors tensors;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Tensor& param = *list.param[k];
    auto& state = list.state<AdamParamState>(k);
    state.exp_avg(in_layout(state.exp_avg(), param));
    state.exp_avg_sq(in_layout(state.exp_avg_sq(), param));
    if (o.amsgrad()) state.max_exp_avg_sq(in_layout(state.max_exp_avg_sq(), param));
    work.param[k] = tensors.writes<T>(param);
    work.grad[k] = tensors.reads<T>(list.grad[k]);
    work.average[k] = tensors.writes<T>(state.exp_avg());
    work.square[k] = tensors.writes<T>(state.exp_avg_sq());
    work.largest[k] = tensors.writes<T>(state.max_exp_avg_sq());
    work.append(param.numel());
    if (o.capturable()) continue;  // the device counts, and computes what follows
    check_may_count_on_host(list.device);
    const auto t = static_cast<double>(++state.step());
    work.step_size[k] = C(o.lr() / (1 - std::pow(beta1, t)));
    work.root[k] = C(std::sqrt(1 - std::pow(beta2, t)));
  }
  if (o.capturable()) count_on_device(work, tensors, list, {beta1, beta2, shrinking});
  tensors.launch("adam", work);
}

}  // namespace

template <bool decoupled>
Tensor AdamBase<decoupled>::step(LossClosure closure) {
  Tensor loss = loss_of(closure);
  const trace::Span span(decoupled ? "AdamW.step" : "Adam.step", trace::Category::kOperator);
  NoGradGuard no_grad;
  StepList list(*this, "adam", AdamWork<float>::kMax, kMostCapturable<AdamWork<float>>);
  while (list.next())
    dispatch_floats("adam", list.dtype,
                    [&](auto type) { update<typename decltype(type)::type, decoupled>(list); });
  return loss;
}

template class AdamBase<false>;
template class AdamBase<true>;

}  // namespace td::optim
