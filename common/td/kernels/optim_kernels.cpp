// Kernels of the fused optimizer steps: lists of tensors, shared out evenly among threads.
#define TD_KERNEL_FILE
#include <cmath>

#include "td/kernels/optim.h"
#include "td/kernels/optim_list.h"

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

template <class T>
struct SgdWork {
  using C = compute_t<T>;
  static constexpr int kMax = kernels::kSgdTensors;
  T* param[kMax];
  const T* grad[kMax];
  T* momentum[kMax];
  std::int64_t end[kMax];
  SgdRule<C> rule;
  std::uint32_t first;  // one bit a tensor
  int count;

  void on_host_part(int k, std::int64_t from, std::int64_t to) const {
    T* __restrict p = param[k];
    const T* __restrict g = grad[k];
    T* __restrict m = momentum[k];
    const SgdRule<C> r = rule;
    if (!m) {
      for (std::int64_t i = from; i < to; ++i)
        p[i] = static_cast<T>(r.plain(static_cast<C>(p[i]), static_cast<C>(g[i])));
      return;
    }
    const bool starts = first >> k & 1;
    for (std::int64_t i = from; i < to; ++i) {
      C buffer = starts ? C(0) : static_cast<C>(m[i]);
      p[i] = static_cast<T>(
          r.with_momentum(static_cast<C>(p[i]), static_cast<C>(g[i]), starts, &buffer));
      m[i] = static_cast<T>(buffer);
    }
  }
#ifdef __CUDACC__
  __device__ void element(int k, std::int64_t i) const {
    const C p = static_cast<C>(param[k][i]), g = static_cast<C>(grad[k][i]);
    if (!momentum[k]) {
      param[k][i] = static_cast<T>(rule.plain(p, g));
      return;
    }
    const bool starts = first >> k & 1;
    C buffer = starts ? C(0) : static_cast<C>(momentum[k][i]);
    param[k][i] = static_cast<T>(rule.with_momentum(p, g, starts, &buffer));
    momentum[k][i] = static_cast<T>(buffer);
  }
#endif
};

template <class T>
struct AdamWork {
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

  TD_HD void one(int k, std::int64_t i) const {
    C a = static_cast<C>(average[k][i]), s = static_cast<C>(square[k][i]);
    C l = largest[k] ? static_cast<C>(largest[k][i]) : C(0);
    param[k][i] =
        static_cast<T>(rule.update(static_cast<C>(param[k][i]), static_cast<C>(grad[k][i]), &a, &s,
                                   largest[k] ? &l : nullptr, step_size[k], root[k]));
    average[k][i] = static_cast<T>(a);
    square[k][i] = static_cast<T>(s);
    if (largest[k]) largest[k][i] = static_cast<T>(l);
  }
  void on_host_part(int k, std::int64_t from, std::int64_t to) const {
    if (largest[k]) {
      for (std::int64_t i = from; i < to; ++i) one(k, i);
      return;
    }
    T* __restrict p = param[k];
    const T* __restrict g = grad[k];
    T* __restrict average_k = average[k];
    T* __restrict square_k = square[k];
    const AdamRule<C> r = rule;
    const C size = step_size[k], root_k = root[k];
    for (std::int64_t i = from; i < to; ++i) {
      C a = static_cast<C>(average_k[i]), s = static_cast<C>(square_k[i]);
      p[i] = static_cast<T>(
          r.update(static_cast<C>(p[i]), static_cast<C>(g[i]), &a, &s, nullptr, size, root_k));
      average_k[i] = static_cast<T>(a);
      square_k[i] = static_cast<T>(s);
    }
  }
#ifdef __CUDACC__
  __device__ void element(int k, std::int64_t i) const { one(k, i); }
#endif
};

template <class T>
void launch_sgd(const kernels::SgdTensors* tensors, std::size_t count,
                const kernels::SgdNumbers& n) {
  using C = compute_t<T>;
  ListWork<SgdWork<T>> list{};
  SgdWork<T>& work = list.work;
  work.rule = {C(n.lr), C(n.momentum), C(1 - n.dampening), C(n.weight_decay), n.nesterov};
  const Tensor* reads[kernels::kSgdTensors];
  const Tensor* writes[2 * kernels::kSgdTensors];
  std::size_t written = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const kernels::SgdTensors& t = tensors[k];
    work.param[k] = kernel_pointer<T>(*t.param);
    work.grad[k] = kernel_pointer<T>(*t.grad);
    work.momentum[k] = t.momentum ? kernel_pointer<T>(*t.momentum) : nullptr;
    work.end[k] = (k ? work.end[k - 1] : 0) + t.param->numel();
    work.first |= std::uint32_t(t.first) << k;
    reads[k] = t.grad;
    writes[written++] = t.param;
    if (t.momentum) writes[written++] = t.momentum;
  }
  work.count = static_cast<int>(count);
  launch("sgd", tensors[0].param->device(), list, TensorRefs(reads, count),
         TensorRefs(writes, written));
}

template <class T>
void launch_adam(const kernels::AdamTensors* tensors, std::size_t count,
                 const kernels::AdamNumbers& n) {
  using C = compute_t<T>;
  ListWork<AdamWork<T>> list{};
  AdamWork<T>& work = list.work;
  work.rule = {C(n.beta1),
               C(n.beta2),
               C(1 - n.beta1),
               C(1 - n.beta2),
               C(n.eps),
               C(n.decoupled ? 0 : n.weight_decay),
               C(n.decoupled ? 1 - n.lr * n.weight_decay : 1)};
  const Tensor* reads[kernels::kAdamTensors];
  const Tensor* writes[4 * kernels::kAdamTensors];
  std::size_t written = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const kernels::AdamTensors& t = tensors[k];
    work.param[k] = kernel_pointer<T>(*t.param);
    work.grad[k] = kernel_pointer<T>(*t.grad);
    work.average[k] = kernel_pointer<T>(*t.average);
    work.square[k] = kernel_pointer<T>(*t.square);
    work.largest[k] = t.largest ? kernel_pointer<T>(*t.largest) : nullptr;
    work.end[k] = (k ? work.end[k - 1] : 0) + t.param->numel();
    work.step_size[k] = C(n.lr / (1 - std::pow(n.beta1, double(t.step))));
    work.root[k] = C(std::sqrt(1 - std::pow(n.beta2, double(t.step))));
    reads[k] = t.grad;
    for (const Tensor* tensor : {t.param, t.average, t.square, t.largest})
      if (tensor) writes[written++] = tensor;
  }
  work.count = static_cast<int>(count);
  launch("adam", tensors[0].param->device(), list, TensorRefs(reads, count),
         TensorRefs(writes, written));
}

}  // namespace

namespace kernels {

void sgd(const SgdTensors* tensors, std::size_t count, const SgdNumbers& numbers) {
  dispatch_floats("sgd", tensors[0].param->dtype(), [&](auto type) {
    launch_sgd<typename decltype(type)::type>(tensors, count, numbers);
  });
}

void adam(const AdamTensors* tensors, std::size_t count, const AdamNumbers& numbers) {
  dispatch_floats("adam", tensors[0].param->dtype(), [&](auto type) {
    launch_adam<typename decltype(type)::type>(tensors, count, numbers);
  });
}

}  // namespace kernels
}  // namespace td
