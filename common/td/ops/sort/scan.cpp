// Running sums and products along a dimension: cumsum and cumprod.
#include "td/ops/op.h"

namespace td {
namespace {

constexpr Op cumsum_op{"cumsum", {"input"}}, cumprod_op{"cumprod", {"input"}};

// The input as it is scanned: dense, whole numbers as int64.
Tensor prepared(const Op& op, const Tensor& input, optional<ScalarType> dtype) {
  common_device(op, input);
  const ScalarType own = input.is_floating_point() ? input.dtype() : kLong;
  return as_type(input, dtype.value_or(own)).contiguous();
}

// Sums from each element to the end of its line.
Tensor sum_to_end(const Tensor& x, std::int64_t d) {
  return x.dim() == 0 ? x : flip(cumsum(flip(x, d), d), d);
}

// Where an element is 0, its gradient cannot be found by division. Line i of a square then holds
// the running products with element i left out: the gradient of element i is its line, from i on,
// times g, summed.
Tensor cumprod_gradient_with_zeros(const Tensor& g, const Tensor& x, std::int64_t d) {
  const std::int64_t n = x.size(d);
  const Tensor lines = x.transpose(d, -1).unsqueeze(-2);  // [..., 1, n]
  Sizes sizes(lines.sizes());
  sizes[sizes.size() - 2] = n;
  const Tensor itself = eye(n, TensorOptions(kBool).device(x.device()));
  const Tensor without = cumprod(where(itself, Scalar(1), lines.expand(sizes)), -1);
  return sum(triu(without) * g.transpose(d, -1).unsqueeze(-2), -1).transpose(d, -1);
}

Tensor cumprod_gradient(const Tensor& g, const Tensor& x, const Tensor& y, std::int64_t d) {
  if (x.dim() == 0) return g;
  if (x.eq(Scalar(0)).any().item<bool>()) return cumprod_gradient_with_zeros(g, x, d);
  return sum_to_end(g * y, d) / x;
}

}  // namespace

Tensor cumsum_impl(const Tensor& input, std::int64_t dim, optional<ScalarType> dtype) {
  const Tensor x = prepared(cumsum_op, input, dtype);
  const std::int64_t d = wrap_dim("cumsum", dim, x.dim());
  Tensor y = empty_on(x.impl().sizes, x.dtype(), x.device());
  kernels::cumsum(y, x, d);
  if (recording(x))
    record("cumsum", y, {&x}, [d](Gradients& grads, const Tensor& g) {
      grads.set_lazily(0, [&] { return sum_to_end(g, d); });
    });
  return y;
}

Tensor cumprod_impl(const Tensor& input, std::int64_t dim, optional<ScalarType> dtype) {
  const Tensor x = prepared(cumprod_op, input, dtype);
  const std::int64_t d = wrap_dim("cumprod", dim, x.dim());
  Tensor y = empty_on(x.impl().sizes, x.dtype(), x.device());
  kernels::cumprod(y, x, d);
  if (recording(x))
    record("cumprod", y, {&x},
           [x = save(x), y = save_result(y), d](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return cumprod_gradient(g, x(), y(), d); });
           });
  return y;
}

}  // namespace td
