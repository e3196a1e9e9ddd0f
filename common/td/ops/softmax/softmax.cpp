// softmax and log_softmax along one dimension, each one fused pass over the rows.
#include "td/kernels/mixed.h"
#include "td/ops/op.h"

namespace td {
namespace {

constexpr Op softmax_op{"softmax", {"input"}}, log_softmax_op{"log_softmax", {"input"}};

// Fused unless the gradient must itself be differentiable:
//   softmax: y (g - sum(g y))     log_softmax: g - exp(y) sum(g)
// `type` is the input's.
Tensor gradient(bool log, const Tensor& g, const Tensor& y, std::int64_t dim, ScalarType type) {
  if (recording(g, y)) {
    if (log) return as_type(g - exp(y) * sum(g, dim, true), type);
    const Tensor gy = g * y;
    return as_type(gy - y * sum(gy, dim, true), type);
  }
  const Tensor dense_g = g.contiguous();
  Tensor out = empty_on(Sizes(y.sizes()), type, y.device());
  (log ? kernels::log_softmax_backward : kernels::softmax_backward)(out, dense_g, y, dim);
  return out;
}

Tensor rows(const Op& op, const Tensor& input, std::int64_t dim, optional<ScalarType> dtype,
            bool log) {
  const Device device = common_device(op, input);
  const std::int64_t d = wrap_dim(op.name, dim, input.dim());
  const ScalarType type = dtype.value_or(input.dtype());
  const Tensor source = widens(input.dtype(), type) ? input : as_type(input, type);
  TD_CHECK(DtypeError, source.is_floating_point(), op.name,
           ": expected a floating point tensor but got ", source.dtype(),
           "; convert it with to(kFloat32)");
  const Tensor x = source.contiguous();
  Tensor y = empty_on(Sizes(x.sizes()), type, device);
  (log ? kernels::log_softmax : kernels::softmax)(y, x, d);
  if (recording(x))
    record(op.name, y, {&x},
           [y = save_result(y), d, log, from = x.dtype()](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return gradient(log, g, y(), d, from); });
           });
  return y;
}

}  // namespace

Tensor softmax_impl(const Tensor& input, std::int64_t dim, optional<ScalarType> dtype) {
  return rows(softmax_op, input, dim, dtype, false);
}
Tensor log_softmax_impl(const Tensor& input, std::int64_t dim, optional<ScalarType> dtype) {
  return rows(log_softmax_op, input, dim, dtype, true);
}

}  // namespace td
