// New tensors with given values: tensor, arange, linspace and eye.
#include <cmath>

#include "td/device/graph.h"
#include "td/kernels/index_kernel.h"
#include "td/ops/op.h"

namespace td {
namespace {

/// Integers are counted in int64, all float types in double.
template <class T>
using count_t = std::conditional_t<std::is_floating_point_v<compute_t<T>>, double, std::int64_t>;

template <class T>
struct Arange {
  T* out;
  count_t<T> start, step;
  TD_HD std::int64_t cost() const { return 2; }
  TD_HD void operator()(std::int64_t i) const {
    out[i] = static_cast<T>(static_cast<compute_t<T>>(start + static_cast<count_t<T>>(i) * step));
  }
};

// The upper half is counted from the end, so that the last element is exactly `end`.
template <class T>
struct Linspace {
  T* out;
  double start, end, step;
  std::int64_t n;
  TD_HD std::int64_t cost() const { return 2; }
  TD_HD void operator()(std::int64_t i) const {
    const double value = i < n / 2 ? start + step * static_cast<double>(i)
                                   : end - step * static_cast<double>(n - 1 - i);
    out[i] = static_cast<T>(static_cast<compute_t<T>>(value));
  }
};

TensorOptions typed(const TensorOptions& options, ScalarType type) {
  return options.has_dtype() ? options : options.dtype(type);
}

}  // namespace

Tensor tensor(const NestedNumbers& values, const TensorOptions& options) {
  const TensorOptions all = typed(options, values.dtype());
  if (capturing_graph() && !all.device().is_cpu())
    fail_in_capture("tensor",
                    "Its numbers are on the host, from which a replay cannot copy them. Make the "
                    "tensor before the capture.");
  Tensor host = empty(values.sizes(), TensorOptions(all.dtype()));
  dispatch_all(all.dtype(), [&]<class T>(CppType<T>) {
    T* out = host.data_ptr<T>();
    for (const Scalar& value : values.values()) {
      value.check_fits(all.dtype());
      *out++ = value.to<T>();
    }
  });
  Tensor t = host.to(all.device());
  if (all.pinned_memory()) t = t.pin_memory();
  if (all.requires_grad()) t.requires_grad_();
  return t;
}

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
              const TensorOptions& options) {
  const bool real =
      start.is_floating_point() || end.is_floating_point() || step.is_floating_point();
  const double from = start.to<double>(), to = end.to<double>(), by = step.to<double>();
  TD_CHECK(Error, by != 0 && std::isfinite(by), "arange: the step must be a number other than 0");
  TD_CHECK(Error, std::isfinite(from) && std::isfinite(to), "arange: start and end must be finite");
  TD_CHECK(Error, (to - from) / by >= 0, "arange: a step of ", by, " never leads from ", from,
           " to ", to, "; change its sign");
  const auto count = static_cast<std::int64_t>(std::ceil((to - from) / by));
  Tensor t = empty({count}, typed(options, real ? kFloat : kLong));
  dispatch_numbers("arange", t.dtype(), [&]<class T>(CppType<T>) {
    const Arange<T> work{Pointer{t}, start.to<count_t<T>>(), step.to<count_t<T>>()};
    launch_index_kernel("arange", t.device(), work, t.numel(), {}, {&t});
  });
  return t;
}
Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options) {
  return arange(start, end, 1, options);
}
Tensor arange(const Scalar& end, const TensorOptions& options) {
  return arange(0, end, 1, options);
}

Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps,
                const TensorOptions& options) {
  TD_CHECK(Error, steps >= 0, "linspace: the number of steps must not be negative but is ", steps);
  Tensor t = empty({steps}, options);
  const double first = start.to<double>(), last = end.to<double>();
  dispatch_numbers("linspace", t.dtype(), [&]<class T>(CppType<T>) {
    const double step = steps > 1 ? (last - first) / static_cast<double>(steps - 1) : 0;
    // A single element is the start, as in PyTorch.
    const Linspace<T> work{Pointer{t}, first, steps == 1 ? first : last, step, steps};
    launch_index_kernel("linspace", t.device(), work, steps, {}, {&t});
  });
  return t;
}

Tensor eye(std::int64_t n, std::int64_t m, const TensorOptions& options) {
  Tensor t = zeros({n, m}, options);
  kernels::fill(alias(t, {std::min(n, m)}, {m + 1}, 0), 1);
  return t;
}
Tensor eye(std::int64_t n, const TensorOptions& options) { return eye(n, n, options); }

}  // namespace td
