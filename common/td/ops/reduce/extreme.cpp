// The largest and smallest elements: max, min, amax, amin, argmax, argmin.
// Whoever gives only the value shares its gradient evenly among equal elements; max(dim), which
// also gives the place, sends it to that place.
#include "td/ops/reduce/dims.h"

namespace td {
namespace {

constexpr Op max_op{"max", {"input"}}, min_op{"min", {"input"}};
constexpr Op amax_op{"amax", {"input"}}, amin_op{"amin", {"input"}};
constexpr Op argmax_op{"argmax", {"input"}}, argmin_op{"argmin", {"input"}};

// g for the elements of x that equal their group's y, divided by how many they are.
Tensor share_evenly(const Tensor& g, const Tensor& x, const Tensor& y, DimSet dims) {
  const Sizes kept = reduced_sizes(x.sizes(), dims, true);
  const Tensor chosen = x.eq(y.reshape(kept)).to(x.dtype());
  Tensor count = empty_on(kept, x.dtype(), x.device());
  kernels::sum(count, chosen, dims);
  return g.reshape(kept) / count * chosen;
}

Tensor extreme(const Op& op, const Tensor& x, IntArrayRef dims, bool keepdim, bool largest) {
  const Device device = common_device(op, x);
  const DimSet set = dim_set(op.name, x, dims);
  check_not_empty(op.name, x, set);
  Tensor y = empty_on(reduced_sizes(x.sizes(), set, keepdim), x.dtype(), device);
  (largest ? kernels::amax : kernels::amin)(y, x, set);
  if (recording(x))
    record(&op == &max_op   ? "max1"
           : &op == &min_op ? "min1"
                            : op.name,
           y, {&x}, [x = save(x), y = save_result(y), set](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return share_evenly(g, x(), y().detach(), set); });
           });
  return y;
}

// int64 places along the dimensions in `set`, in the order of the sizes.
Tensor places(const Op& op, const Tensor& input, DimSet set, bool keepdim, bool largest) {
  const Device device = common_device(op, input);
  check_not_empty(op.name, input, set);
  const Tensor x = input.dtype() == kBool ? input.to(kByte) : input;
  Tensor y = empty_on(reduced_sizes(x.sizes(), set, keepdim), kLong, device);
  (largest ? kernels::argmax : kernels::argmin)(y, x, set);
  return y;
}

Tensor place(const Op& op, const Tensor& x, optional<std::int64_t> dim, bool keepdim,
             bool largest) {
  common_device(op, x);
  const DimSet set = dim ? dim_set(op.name, x, *dim) : dim_set(op.name, x, {});
  return places(op, x, set, keepdim, largest);
}

std::tuple<Tensor, Tensor> with_place(const Op& op, const Tensor& x, std::int64_t dim, bool keepdim,
                                      bool largest) {
  common_device(op, x);
  const std::int64_t d = wrap_dim(op.name, dim, x.dim());
  if (x.dim() == 0) return {x.clone(), zeros({}, TensorOptions(kLong).device(x.device()))};
  const Tensor at = places(op, x, dim_set(op.name, x, d), true, largest);
  Tensor values = empty_on(Sizes(at.sizes()), x.dtype(), x.device());
  {
    NoGradGuard no_grad;
    kernels::gather(values, x.contiguous(), d, at);
  }
  if (!keepdim) values = values.squeeze(d);
  if (recording(x)) {
    const auto backward = [at, d, sizes = Sizes(x.sizes())](Gradients& grads, const Tensor& g) {
      grads.set_lazily(
          0, [&] { return zeros(sizes, g.options()).scatter_add_(d, at, g.reshape(at.sizes())); });
    };
    record(op.name, values, {&x}, backward);
  }
  return {values, keepdim ? at : at.squeeze(d)};
}

}  // namespace

Tensor max(const Tensor& input) { return extreme(max_op, input, {}, false, true); }
Tensor min(const Tensor& input) { return extreme(min_op, input, {}, false, false); }
Tensor amax(const Tensor& input, IntArrayRef dims, bool keepdim) {
  return extreme(amax_op, input, dims, keepdim, true);
}
Tensor amin(const Tensor& input, IntArrayRef dims, bool keepdim) {
  return extreme(amin_op, input, dims, keepdim, false);
}
std::tuple<Tensor, Tensor> max(const Tensor& input, std::int64_t dim, bool keepdim) {
  return with_place(max_op, input, dim, keepdim, true);
}
std::tuple<Tensor, Tensor> min(const Tensor& input, std::int64_t dim, bool keepdim) {
  return with_place(min_op, input, dim, keepdim, false);
}
Tensor argmax(const Tensor& input, optional<std::int64_t> dim, bool keepdim) {
  return place(argmax_op, input, dim, keepdim, true);
}
Tensor argmin(const Tensor& input, optional<std::int64_t> dim, bool keepdim) {
  return place(argmin_op, input, dim, keepdim, false);
}

}  // namespace td
