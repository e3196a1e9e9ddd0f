// Kernels of amp::GradScaler. Several threads may write 1 to found_inf, and no thread writes
// anything else there, so their order does not matter.
#include <atomic>

#include "amp/unscale_kernels.h"
#include "td/kernels/index_kernel.h"
#include "td/optim/parameter_list.h"

namespace td {
namespace {

template <class C>
TD_HD bool is_finite(C value) {
  return value - value == C(0);  // infinity and NaN give NaN
}

template <class T>
struct UnscaleWork : ParameterList<kernels::kUnscaleTensors, 1, 2> {
  using C = compute_t<T>;
  T* gradient[kernels::kUnscaleTensors];
  const float* scale;  // nullptr: only checks
  float* found_inf;

  TD_HD C rule_of(int) const { return reciprocal<C>(scale); }
  // anchor: unscale
  void update(C f, int k, std::int64_t from, std::int64_t to) const {
    T* __restrict g = gradient[k];
    int bad = 0;
    if (f == C(1))
      for (std::int64_t i = from; i < to; ++i) bad |= !is_finite(static_cast<C>(g[i]));
    else
      for (std::int64_t i = from; i < to; ++i) {
        const C value = static_cast<C>(g[i]);
        bad |= !is_finite(value);
        g[i] = static_cast<T>(value * f);
      }
    if (bad) std::atomic_ref<float>(*found_inf).store(1, std::memory_order_relaxed);
  }
  // anchor end
  TD_HD void update_one(C f, int k, std::int64_t i) const {
    const C value = static_cast<C>(gradient[k][i]);
    if (!is_finite(value)) *found_inf = 1;
    if (f != C(1)) gradient[k][i] = static_cast<T>(value * f);
  }
};

template <class T>
void launch_unscale(const Tensor* const* gradients, std::size_t count, const Tensor& found_inf,
                    const Tensor* scale) {
  UnscaleWork<T> work;
  LaunchTensors tensors;
  for (std::size_t k = 0; k < count; ++k) {
    const Tensor& gradient = *gradients[k];
    // Without a scale, gradients are only checked.
    work.gradient[k] =
        scale ? tensors.writes<T>(gradient) : const_cast<T*>(tensors.reads<T>(gradient));
    work.append(gradient.numel());
  }
  work.found_inf = tensors.writes<float>(found_inf);
  work.scale = scale ? tensors.reads<float>(*scale) : nullptr;
  tensors.launch("unscale", work);
}

// anchor: update_scale
struct UpdateScale {
  float* scale;
  std::int32_t* growth_tracker;
  const float* found_inf;
  double growth_factor, backoff_factor;
  std::int64_t growth_interval;

  std::int64_t cost() const { return 16; }
  TD_HD void operator()(std::int64_t) const {
    if (*found_inf != 0) {
      *scale = static_cast<float>(*scale * backoff_factor);
      *growth_tracker = 0;
      return;
    }
    // Equal, as in PyTorch: an interval set below the count does not end the wait.
    if (++*growth_tracker != growth_interval) return;
    const float grown = static_cast<float>(*scale * growth_factor);
    if (is_finite(grown)) *scale = grown;
    *growth_tracker = 0;
  }
};
// anchor end

}  // namespace

namespace kernels {

void unscale(const Tensor* const* gradients, std::size_t count, const Tensor& found_inf,
             const Tensor* scale) {
  dispatch_floats("unscale", gradients[0]->dtype(), [&](auto type) {
    launch_unscale<typename decltype(type)::type>(gradients, count, found_inf, scale);
  });
}

void update_scale(const Tensor& scale, const Tensor& growth_tracker, const Tensor& found_inf,
                  double growth_factor, double backoff_factor, std::int64_t growth_interval) {
  const UpdateScale body{kernel_pointer<float>(scale),
                         kernel_pointer<std::int32_t>(growth_tracker),
                         kernel_pointer<float>(found_inf),
                         growth_factor,
                         backoff_factor,
                         growth_interval};
  launch_index_kernel("update_scale", scale.device(), body, 1, {&found_inf},
                      {&scale, &growth_tracker});
}

}  // namespace kernels
}  // namespace td
