// New tensors with given values. Each is made on its device by one kernel.
#include <cmath>

#include "td/ops/op.h"

namespace td {
namespace {

// A new dense tensor, filled before anybody may record what happens to it.
Tensor filled(IntArrayRef sizes, const Scalar& value, const TensorOptions& options) {
  Tensor t = empty(sizes, options);
  kernels::fill(t, value);
  return t;
}
Tensor filled_like(const Tensor& like, const Scalar& value, const TensorOptions& options) {
  Tensor t = empty_like(like, options);
  kernels::fill(t, value);
  if (options.requires_grad()) t.requires_grad_();
  return t;
}

TensorOptions typed(const TensorOptions& options, ScalarType type) {
  return options.has_dtype() ? options : options.dtype(type);
}

}  // namespace

Tensor zeros(IntArrayRef sizes, const TensorOptions& options) { return filled(sizes, 0, options); }
Tensor ones(IntArrayRef sizes, const TensorOptions& options) { return filled(sizes, 1, options); }
Tensor full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options) {
  return filled(sizes, value, typed(options, value.is_floating_point() ? kFloat : value.kind()));
}
Tensor zeros_like(const Tensor& like, const TensorOptions& options) {
  return filled_like(like, 0, options);
}
Tensor ones_like(const Tensor& like, const TensorOptions& options) {
  return filled_like(like, 1, options);
}
Tensor full_like(const Tensor& like, const Scalar& value, const TensorOptions& options) {
  return filled_like(like, value, options);
}

Tensor tensor(const NestedNumbers& values, const TensorOptions& options) {
  const TensorOptions all = typed(options, values.dtype());
  Tensor host = empty(values.sizes(), TensorOptions(all.dtype()));
  dispatch_all(all.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    T* out = host.data_ptr<T>();
    for (const Scalar& value : values.values()) *out++ = value.to<T>();
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
  kernels::arange(t, start, step);
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
  kernels::linspace(t, start.to<double>(), end.to<double>());
  return t;
}

Tensor eye(std::int64_t n, std::int64_t m, const TensorOptions& options) {
  Tensor t = zeros({n, m}, options);
  kernels::fill(alias(t, {std::min(n, m)}, {m + 1}, 0), 1);
  return t;
}
Tensor eye(std::int64_t n, const TensorOptions& options) { return eye(n, n, options); }

}  // namespace td
