// Kernels of the fused optimizer steps: lists of tensors, shared out evenly among threads.
#include <cmath>

#include "td/optim/kernels.h"
#include "td/optim/parameter_list.h"

namespace td {
namespace {

// The numbers of a step as the kernel computes with them, and the update of one element.
template <class C>
struct SgdRule {
  C lr, momentum, keep, decay;
  bool nesterov;

  TD_HD C plain(C p, C g) const { return p - lr * (g + decay * p); }
  TD_HD C with_momentum(C p, C g, bool first, C* buffer) const {
    g += decay * p;
    *buffer = first ? g : momentum * *buffer + keep * g;
    return p - lr * (nesterov ? g + momentum * *buffer : *buffer);
  }
};

template <class C>
struct AdamRule {
  C beta1, beta2, new1, new2;  // new = 1 - beta, taken in double: 1 - 0.999f has 4 digits
  C eps, decay, shrink;        // decay enters the gradient, shrink scales the parameter

  // step_size = lr / (1 - beta1^t), root = sqrt(1 - beta2^t)
  TD_HD C update(C p, C g, C* average, C* square, C* largest, C step_size, C root) const {
    p *= shrink;
    g += decay * p;
    *average = beta1 * *average + new1 * g;
    *square = beta2 * *square + new2 * g * g;
    C scale = *square;
    if (largest) scale = *largest = scale > *largest ? scale : *largest;
    return p - step_size * *average / (std::sqrt(scale) / root + eps);
  }
};

// What of a work is in device memory when the step is capturable.
template <int kMax>
struct Controlled {
  bool capturable = false;
  const float* grad_scale = nullptr;
  const float* found_inf = nullptr;
  const double* numbers[kMax];  // kernels::kStepNumbers of each tensor, when capturable

  TD_HD bool skips() const { return found_inf && *found_inf != 0; }
};

template <class T>
struct SgdWork : Controlled<kernels::kSgdTensors> {
  using C = compute_t<T>;
  static constexpr int kMax = kernels::kSgdTensors;
  T* param[kMax];
  const T* grad[kMax];
  T* momentum[kMax];
  std::int64_t end[kMax];
  SgdRule<C> rule;
  std::uint32_t first = 0;  // one bit a tensor
  int count;

  TD_HD SgdRule<C> rule_of(int k) const {
    SgdRule<C> r = rule;
    if (capturable) r.lr = static_cast<C>(numbers[k][1]);
    return r;
  }
  TD_HD bool is_first(int k) const { return capturable ? numbers[k][0] == 1 : first >> k & 1; }

  void on_host_part(int k, std::int64_t from, std::int64_t to) const {
    T* __restrict p = param[k];
    const T* __restrict g = grad[k];
    T* __restrict m = momentum[k];
    const SgdRule<C> r = rule_of(k);
    const C f = reciprocal<C>(grad_scale);
    if (!m) {
      for (std::int64_t i = from; i < to; ++i)
        p[i] = static_cast<T>(r.plain(static_cast<C>(p[i]), f * static_cast<C>(g[i])));
      return;
    }
    const bool starts = is_first(k);
    for (std::int64_t i = from; i < to; ++i) {
      C buffer = starts ? C(0) : static_cast<C>(m[i]);
      p[i] = static_cast<T>(
          r.with_momentum(static_cast<C>(p[i]), f * static_cast<C>(g[i]), starts, &buffer));
      m[i] = static_cast<T>(buffer);
    }
  }
#ifdef __CUDACC__
  __device__ void element(int k, std::int64_t i) const {
    const SgdRule<C> r = rule_of(k);
    const C p = static_cast<C>(param[k][i]);
    const C g = reciprocal<C>(grad_scale) * static_cast<C>(grad[k][i]);
    if (!momentum[k]) {
      param[k][i] = static_cast<T>(r.plain(p, g));
      return;
    }
    const bool starts = is_first(k);
    C buffer = starts ? C(0) : static_cast<C>(momentum[k][i]);
    param[k][i] = static_cast<T>(r.with_momentum(p, g, starts, &buffer));
    momentum[k][i] = static_cast<T>(buffer);
  }
#endif
};

template <class T>
struct AdamWork : Controlled<kernels::kAdamTensors> {
  using C = compute_t<T>;
  static constexpr int kMax = kernels::kAdamTensors;
  T* param[kMax];
  const T* grad[kMax];
  T* average[kMax];
  T* square[kMax];
  T* largest[kMax];
  std::int64_t end[kMax];
  C step_size[kMax], root[kMax];
  AdamRule<C> rule;
  int count;

  // What the elements of one tensor share.
  struct Shared {
    AdamRule<C> rule;
    C step_size, root, factor;
  };
  TD_HD Shared shared_by(int k) const {
    Shared s{rule, step_size[k], root[k], reciprocal<C>(grad_scale)};
    if (capturable) {
      const double* n = numbers[k];
      s.step_size = static_cast<C>(n[1]);
      s.root = static_cast<C>(n[2]);
      s.rule.shrink = static_cast<C>(n[3]);
    }
    return s;
  }
  TD_HD void one(int k, std::int64_t i, const Shared& s) const {
    C a = static_cast<C>(average[k][i]), sq = static_cast<C>(square[k][i]);
    C l = largest[k] ? static_cast<C>(largest[k][i]) : C(0);
    param[k][i] = static_cast<T>(s.rule.update(static_cast<C>(param[k][i]),
                                               s.factor * static_cast<C>(grad[k][i]), &a, &sq,
                                               largest[k] ? &l : nullptr, s.step_size, s.root));
    average[k][i] = static_cast<T>(a);
    square[k][i] = static_cast<T>(sq);
    if (largest[k]) largest[k][i] = static_cast<T>(l);
  }
  void on_host_part(int k, std::int64_t from, std::int64_t to) const {
    const Shared s = shared_by(k);
    if (largest[k]) {
      for (std::int64_t i = from; i < to; ++i) one(k, i, s);
      return;
    }
    T* __restrict p = param[k];
    const T* __restrict g = grad[k];
    T* __restrict average_k = average[k];
    T* __restrict square_k = square[k];
    for (std::int64_t i = from; i < to; ++i) {
      C a = static_cast<C>(average_k[i]), sq = static_cast<C>(square_k[i]);
      p[i] = static_cast<T>(s.rule.update(static_cast<C>(p[i]), s.factor * static_cast<C>(g[i]), &a,
                                          &sq, nullptr, s.step_size, s.root));
      average_k[i] = static_cast<T>(a);
      square_k[i] = static_cast<T>(sq);
    }
  }
#ifdef __CUDACC__
  __device__ void element(int k, std::int64_t i) const { one(k, i, shared_by(k)); }
#endif
};

// Collects what a launch reads and writes.
struct Touched {
  const Tensor* reads[2 * kernels::kSgdTensors + 2];
  const Tensor* writes[4 * kernels::kSgdTensors];
  std::size_t read = 0, written = 0;

  void writes_to(const Tensor* tensor) {
    if (tensor) writes[written++] = tensor;
  }
  // The gradients; and for a capturable step counts it, and fills in its part of `work`.
  template <class Work, class Tensors>
  void begin(Work& work, const Tensors* tensors, std::size_t count,
             const kernels::AdamNumbers& rule, const kernels::StepControl& control) {
    for (std::size_t k = 0; k < count; ++k) reads[read++] = tensors[k].grad;
    work.capturable = control.lr != nullptr;
    if (!work.capturable) return;
    for (std::size_t k = 0; k < count; ++k) {
      reads[read++] = tensors[k].numbers;
      work.numbers[k] = kernel_pointer<double>(*tensors[k].numbers);
    }
    kernels::count_step(reads + count, count, rule, control);
    if (control.grad_scale)
      work.grad_scale = kernel_pointer<float>(*(reads[read++] = control.grad_scale));
    if (control.found_inf)
      work.found_inf = kernel_pointer<float>(*(reads[read++] = control.found_inf));
  }
  template <class Work>
  void launch(const char* name, const Work& work) const {
    td::launch(name, writes[0]->device(), work, TensorRefs(reads, read),
               TensorRefs(writes, written));
  }
};

template <class T>
void launch_sgd(const kernels::SgdTensors* tensors, std::size_t count, const kernels::SgdNumbers& n,
                const kernels::StepControl& control) {
  using C = compute_t<T>;
  ListWork<SgdWork<T>> list;
  SgdWork<T>& work = list.work;
  work.rule = {C(n.lr), C(n.momentum), C(1 - n.dampening), C(n.weight_decay), n.nesterov};
  Touched touched;
  touched.begin(work, tensors, count, {}, control);  // without betas the step size is lr
  for (std::size_t k = 0; k < count; ++k) {
    const kernels::SgdTensors& t = tensors[k];
    work.param[k] = kernel_pointer<T>(*t.param);
    work.grad[k] = kernel_pointer<T>(*t.grad);
    work.momentum[k] = t.momentum ? kernel_pointer<T>(*t.momentum) : nullptr;
    work.end[k] = (k ? work.end[k - 1] : 0) + t.param->numel();
    work.first |= std::uint32_t(t.first) << k;
    touched.writes_to(t.param);
    touched.writes_to(t.momentum);
  }
  work.count = static_cast<int>(count);
  touched.launch("sgd", list);
}

template <class T>
void launch_adam(const kernels::AdamTensors* tensors, std::size_t count,
                 const kernels::AdamNumbers& n, const kernels::StepControl& control) {
  using C = compute_t<T>;
  ListWork<AdamWork<T>> list;
  AdamWork<T>& work = list.work;
  work.rule = {C(n.beta1),
               C(n.beta2),
               C(1 - n.beta1),
               C(1 - n.beta2),
               C(n.eps),
               C(n.decoupled ? 0 : n.weight_decay),
               C(n.decoupled ? 1 - n.lr * n.weight_decay : 1)};
  Touched touched;
  touched.begin(work, tensors, count, n, control);
  for (std::size_t k = 0; k < count; ++k) {
    const kernels::AdamTensors& t = tensors[k];
    work.param[k] = kernel_pointer<T>(*t.param);
    work.grad[k] = kernel_pointer<T>(*t.grad);
    work.average[k] = kernel_pointer<T>(*t.average);
    work.square[k] = kernel_pointer<T>(*t.square);
    work.largest[k] = t.largest ? kernel_pointer<T>(*t.largest) : nullptr;
    work.end[k] = (k ? work.end[k - 1] : 0) + t.param->numel();
    for (const Tensor* tensor : {t.param, t.average, t.square, t.largest})
      touched.writes_to(tensor);
    if (work.capturable) continue;  // these follow from numbers of the device
    work.step_size[k] = C(n.lr / (1 - std::pow(n.beta1, double(t.step))));
    work.root[k] = C(std::sqrt(1 - std::pow(n.beta2, double(t.step))));
  }
  work.count = static_cast<int>(count);
  touched.launch("adam", list);
}

}  // namespace

namespace kernels {

void sgd(const SgdTensors* tensors, std::size_t count, const SgdNumbers& numbers,
         const StepControl& control) {
  dispatch_floats("sgd", tensors[0].param->dtype(), [&](auto type) {
    launch_sgd<typename decltype(type)::type>(tensors, count, numbers, control);
  });
}

void adam(const AdamTensors* tensors, std::size_t count, const AdamNumbers& numbers,
          const StepControl& control) {
  dispatch_floats("adam", tensors[0].param->dtype(), [&](auto type) {
    launch_adam<typename decltype(type)::type>(tensors, count, numbers, control);
  });
}

}  // namespace kernels
}  // namespace td
