// SGD: the update rule, the kernel that applies it to a list of parameters, and the step that
// launches it. step.cpp makes the lists, parameter_list.h is the shape of the kernel; options and
// state are in sgd.cpp. Invariant: one launch updates up to 16 parameters.
#include "td/optim/sgd.h"

#include "td/autograd/modes.h"
#include "td/base/span.h"
#include "td/optim/capturable_list.h"
#include "td/optim/parameter_list.h"
#include "td/optim/step_list.h"

namespace td::optim {
namespace {

/// The update of one element, in the type C that it is computed in.
template <class C>
struct SgdRule {
  C lr, momentum, keep, decay;  // keep = 1 - dampening
  bool nesterov;
  bool first = false;  // the momentum buffer has no value yet
  C unscale = 1;       // gradients are multiplied by it

  /// The new value of the parameter `p` with the gradient `g`. @param buffer of the momentum, or
  /// nullptr.
  TD_HD C operator()(C p, C g, C* buffer) const {
    g = unscale * g + decay * p;
    if (buffer) {
      *buffer = first ? g : momentum * *buffer + keep * g;
      g = nesterov ? g + momentum * *buffer : *buffer;
    }
    return p - lr * g;
  }
  TD_HD void read(const double* state) {  // of a capturable step, see DeviceStepState
    first = state[0] == 1;
    lr = static_cast<C>(state[1]);
  }
};

template <class T>
struct SgdWork : StepWork<compute_t<T>, 16, 3> {  // the parameter, its gradient and its momentum
  using C = compute_t<T>;
  static constexpr int kMax = 16;
  T* param[kMax];
  const T* grad[kMax];
  T* momentum[kMax];  // nullptr without momentum
  SgdRule<C> rule;
  std::uint32_t first = 0;  // one bit per tensor

  TD_HD SgdRule<C> rule_of(int k) const {
    SgdRule<C> r = rule;
    r.first = first >> k & 1;
    return this->in_step(r, k);
  }
  void update(const SgdRule<C> r, int k, std::int64_t from, std::int64_t to) const {
    T* __restrict p = param[k];
    const T* __restrict g = grad[k];
    T* __restrict m = momentum[k];
    if (m)
      for (std::int64_t i = from; i < to; ++i) update_element(r, p[i], g[i], &m[i]);
    else
      for (std::int64_t i = from; i < to; ++i) update_element(r, p[i], g[i], nullptr);
  }
  TD_HD void update_one(const SgdRule<C>& r, int k, std::int64_t i) const {
    update_element(r, param[k][i], grad[k][i], momentum[k] ? &momentum[k][i] : nullptr);
  }
  TD_HD static void update_element(const SgdRule<C>& r, T& p, T g, T* m) {
    C buffer = m && !r.first ? static_cast<C>(*m) : C(0);
    p = static_cast<T>(r(static_cast<C>(p), static_cast<C>(g), m ? &buffer : nullptr));
    if (m) *m = static_cast<T>(buffer);
  }
};

/// Launches the update of one list of parameters of type T.
template <class T>
void update(StepList& list) {
  using C = compute_t<T>;
  auto& o = static_cast<SGDOptions&>(*list.options);
  SgdWork<T> work;
  work.rule = {C(o.lr()), C(o.momentum()), C(1 - o.dampening()), C(o.weight_decay()), o.nesterov()};
  LaunchTensors tensors;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Tensor& param = *list.param[k];
    work.param[k] = tensors.writes<T>(param);
    work.grad[k] = tensors.reads<T>(list.grad[k]);
    work.momentum[k] = nullptr;
    if (o.momentum() != 0) {
      Tensor& buffer = list.state<SGDParamState>(k).momentum_buffer();
      if (!buffer.defined()) work.first |= 1u << k;
      buffer = in_layout(buffer, param);
      work.momentum[k] = tensors.writes<T>(buffer);
    }
    work.append(param.numel());
  }
  if (o.capturable())
    count_on_device(work, tensors, list, {}, work.first);
  else
    o.device_lr().passed_by_value(list.device, o.lr());
  tensors.launch("sgd", work);
}

}  // namespace

Tensor SGD::step(LossClosure closure) {
  Tensor loss = loss_of(closure);
  const trace::Span span("SGD.step", trace::Category::kOperator);
  NoGradGuard no_grad;
  StepList list(*this, "sgd", SgdWork<float>::kMax, kMostCapturable<SgdWork<float>>);
  while (list.next())
    dispatch_floats("sgd", list.dtype,
                    [&](auto type) { update<typename decltype(type)::type>(list); });
  return loss;
}

}  // namespace td::optim
