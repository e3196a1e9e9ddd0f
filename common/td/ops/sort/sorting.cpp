// Order: sort, argsort, topk. A kernel finds the places, and the values are gathered from there, so
// the gradient goes back to the place each value came from.
#include "td/ops/op.h"

namespace td {
namespace {

constexpr Op sort_op{"sort", {"input"}}, argsort_op{"argsort", {"input"}};
constexpr Op topk_op{"topk", {"input"}};

// Places of the elements of each line along `dim` in sorted order, dense.
Tensor sorted_places(const Tensor& input, std::int64_t dim, bool descending) {
  const NoGradGuard no_grad;
  if (input.dim() == 0) return zeros({}, TensorOptions(kLong).device(input.device()));
  const Tensor lines = input.detach().transpose(dim, -1).contiguous();
  Tensor order = empty_on(lines.impl().sizes, kLong, input.device());
  kernels::sort_rows(order, lines, descending);
  return order.transpose(dim, -1).clone(MemoryFormat::Contiguous);
}

// `dense` with its elements in the memory order of `like`, as libtorch lays out results.
Tensor laid_out_like(const Tensor& like, const Tensor& dense) {
  Tensor out = result_like(like, dense.impl().sizes, dense.dtype(), dense.device());
  if (out.is_contiguous()) return dense;
  kernels::convert(out, dense);
  return out;
}

// The elements of `input` at the places `at` along `dim`.
Tensor values_at(const Op& op, const Tensor& input, std::int64_t dim, const Tensor& at) {
  Tensor dense = empty_on(at.impl().sizes, input.dtype(), input.device());
  kernels::gather(dense, input.detach().contiguous(), dim, at);
  const Tensor values = laid_out_like(input, dense);
  if (recording(input))
    record(op.name, values, {&input},
           [at, dim, sizes = input.impl().sizes](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0,
                              [&] { return zeros(sizes, g.options()).scatter_add_(dim, at, g); });
           });
  return values;
}

}  // namespace

std::tuple<Tensor, Tensor> sort(const Tensor& input, std::int64_t dim, bool descending) {
  common_device(sort_op, input);
  const std::int64_t d = wrap_dim("sort", dim, input.dim());
  const Tensor at = sorted_places(input, d, descending);
  return {values_at(sort_op, input, d, at), laid_out_like(input, at)};
}
std::tuple<Tensor, Tensor> sort(const Tensor& input, optional<bool> /*stable*/, std::int64_t dim,
                                bool descending) {
  return sort(input, dim, descending);
}

Tensor argsort(const Tensor& input, std::int64_t dim, bool descending) {
  common_device(argsort_op, input);
  const std::int64_t d = wrap_dim("argsort", dim, input.dim());
  return laid_out_like(input, sorted_places(input, d, descending));
}

std::tuple<Tensor, Tensor> topk(const Tensor& input, std::int64_t k, std::int64_t dim, bool largest,
                                bool /*sorted*/) {
  common_device(topk_op, input);
  const std::int64_t d = wrap_dim("topk", dim, input.dim());
  const std::int64_t n = input.dim() ? input.size(d) : 1;
  TD_CHECK(ShapeError, k >= 0 && k <= n, "topk: k is ", k, " but dimension ", d, " has ", n,
           " elements; k must lie between 0 and that");
  const Tensor all = sorted_places(input, d, largest);
  const Tensor at = input.dim() ? all.narrow(d, 0, k).clone(MemoryFormat::Contiguous) : all;
  return {values_at(topk_op, input, d, at), at};
}

}  // namespace td
