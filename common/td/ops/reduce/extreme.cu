// The value of the largest and smallest elements: max, min, amax, amin; any and all are the largest
// and the smallest of truth values. NaN beats every number. The gradient is divided evenly among
// equal elements.
#include "td/kernels/reduce.h"
#include "td/ops/reduce/dims.h"

namespace td {
namespace {

constexpr Op max_op{"max", {"input"}}, min_op{"min", {"input"}};
constexpr Op amax_op{"amax", {"input"}}, amin_op{"amin", {"input"}};
constexpr Op any_op{"any", {"input"}}, all_op{"all", {"input"}};

// The largest or smallest element of each group; on bool: any and all.
void extreme_kernel(const Tensor& out, const Tensor& x, DimSet dims, bool largest) {
  dispatch_all(x.dtype(), [&]<class T>(CppType<T>) {
    if (largest)
      reduce<T>("amax", Extreme<T, true>{}, out, x, dims);
    else
      reduce<T>("amin", Extreme<T, false>{}, out, x, dims);
  });
}

// g for the elements of x that equal their group's y, divided by how many they are.
Tensor share_evenly(const Tensor& g, const Tensor& x, const Tensor& y, DimSet dims) {
  const Sizes kept = reduced_sizes(x.sizes(), dims, true);
  const Tensor chosen = x.eq(y.reshape(kept)).to(x.dtype());
  Tensor count = empty_on(kept, x.dtype(), x.device());
  kernels::sum(count, chosen, dims);
  return g.reshape(kept) / count * chosen;
}

Tensor extreme(const Op& op, const char* node, const Tensor& x, IntArrayRef dims, bool keepdim,
               bool largest) {
  const Device device = common_device(op, x);
  const DimSet set = dim_set(op.name, x, dims);
  check_not_empty(op, x, set);
  Tensor y = empty_on(reduced_sizes(x.sizes(), set, keepdim), x.dtype(), device);
  extreme_kernel(y, x, set, largest);
  if (recording(x))
    record(node, y, {&x},
           [x = save(x), y = save_result(y), set](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return share_evenly(g, x(), y().detach(), set); });
           });
  return y;
}

// any is the largest of the truth values, all the smallest.
Tensor truth(const Op& op, const Tensor& input, IntArrayRef dims, bool keepdim, bool any) {
  const Device device = common_device(op, input);
  const DimSet set = dim_set(op.name, input, dims);
  const Tensor x = input.dtype() == kBool ? input : input.detach().ne(Scalar(0));
  Tensor y = empty_on(reduced_sizes(x.sizes(), set, keepdim), kBool, device);
  extreme_kernel(y, x, set, any);
  return input.dtype() == kByte ? y.to(kByte) : y;  // as libtorch does
}

}  // namespace

Tensor max(const Tensor& input) { return extreme(max_op, "max1", input, {}, false, true); }
Tensor min(const Tensor& input) { return extreme(min_op, "min1", input, {}, false, false); }
Tensor amax(const Tensor& input, IntArrayRef dims, bool keepdim) {
  return extreme(amax_op, "amax", input, dims, keepdim, true);
}
Tensor amin(const Tensor& input, IntArrayRef dims, bool keepdim) {
  return extreme(amin_op, "amin", input, dims, keepdim, false);
}
Tensor any(const Tensor& input) { return truth(any_op, input, {}, false, true); }
Tensor any(const Tensor& input, std::int64_t dim, bool keepdim) {
  return truth(any_op, input, dim, keepdim, true);
}
Tensor all(const Tensor& input) { return truth(all_op, input, {}, false, false); }
Tensor all(const Tensor& input, std::int64_t dim, bool keepdim) {
  return truth(all_op, input, dim, keepdim, false);
}

}  // namespace td
