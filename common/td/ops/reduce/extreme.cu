// The largest and smallest elements: max, min, amax, amin, argmax, argmin, and any and all, which
// are the largest and the smallest of truth values. NaN beats every number; the first of equal
// elements wins. The gradient of a value alone is divided evenly among equal elements; max(dim),
// which also returns the index, sends it to that element.
#include "td/kernels/reduce.h"
#include "td/kernels/reducers.h"
#include "td/ops/reduce/dims.h"

namespace td {
namespace {

constexpr Op max_op{"max", {"input"}}, min_op{"min", {"input"}};
constexpr Op amax_op{"amax", {"input"}}, amin_op{"amin", {"input"}};
constexpr Op argmax_op{"argmax", {"input"}}, argmin_op{"argmin", {"input"}};
constexpr Op any_op{"any", {"input"}}, all_op{"all", {"input"}};

/// An element and its index among those that are combined.
template <class T>
struct ValueIndex {
  T value;
  std::int64_t index;
};

template <class T, bool kLargest>
struct ArgExtreme {
  using Acc = ValueIndex<compute_t<T>>;
  using WideAcc = Acc;
  using Out = std::int64_t;
  using ByIndex = void;
  TD_HD Acc start() const { return {Extreme<T, kLargest>{}.start(), -1}; }
  TD_HD static bool wins(const Acc& a, const Acc& b) {  // whether a is chosen over b
    if (b.index < 0) return true;
    if (a.value != a.value) return b.value == b.value || a.index < b.index;
    if (b.value != b.value) return false;
    return Extreme<T, kLargest>::better(a.value, b.value) ||
           (a.value == b.value && a.index < b.index);
  }
  TD_HD void add(Acc& lane, compute_t<T> x, std::int64_t index) const {
    const Acc candidate{x, index};
    if (wins(candidate, lane)) lane = candidate;
  }
  TD_HD WideAcc identity() const { return start(); }
  TD_HD WideAcc total(const Acc& lane) const { return lane; }
  TD_HD WideAcc combine(const WideAcc& a, const WideAcc& b) const {
    return b.index >= 0 && wins(b, a) ? b : a;
  }
  TD_HD Out project(const WideAcc& total) const { return total.index; }
};

// The largest or smallest element of each group; on bool: any and all.
void extreme_kernel(const Tensor& out, const Tensor& x, DimSet dims, bool largest) {
  dispatch_all(x.dtype(), [&]<class T>(CppType<T>) {
    if (largest)
      reduce<T>("amax", Extreme<T, true>{}, out, x, dims);
    else
      reduce<T>("amin", Extreme<T, false>{}, out, x, dims);
  });
}

// @throws ShapeError when groups are empty: then there is no largest element.
void check_not_empty(const Op& op, const Tensor& x, DimSet dims) {
  TD_CHECK(ShapeError, reduced_count(x.sizes(), dims) > 0, op.name, ": a tensor of sizes ",
           x.sizes(), " has no element to choose from; check numel() first");
}

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
  check_not_empty(op, x, set);
  Tensor y = empty_on(reduced_sizes(x.sizes(), set, keepdim), x.dtype(), device);
  extreme_kernel(y, x, set, largest);
  if (recording(x))
    record(&op == &max_op   ? "max1"
           : &op == &min_op ? "min1"
                            : op.name,
           y, {&x}, [x = save(x), y = save_result(y), set](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return share_evenly(g, x(), y().detach(), set); });
           });
  return y;
}

// int64 indices along the dimensions in `set`, counted in the order of the sizes.
Tensor arg_extreme(const Op& op, const Tensor& input, DimSet set, bool keepdim, bool largest) {
  const Device device = common_device(op, input);
  check_not_empty(op, input, set);
  const Tensor x = input.dtype() == kBool ? input.to(kByte) : input;
  Tensor y = empty_on(reduced_sizes(x.sizes(), set, keepdim), kLong, device);
  dispatch_numbers(largest ? "argmax" : "argmin", x.dtype(), [&]<class T>(CppType<T>) {
    if (largest)
      reduce<T>("argmax", ArgExtreme<T, true>{}, y, x, set);
    else
      reduce<T>("argmin", ArgExtreme<T, false>{}, y, x, set);
  });
  return y;
}

Tensor arg_extreme(const Op& op, const Tensor& x, optional<std::int64_t> dim, bool keepdim,
                   bool largest) {
  common_device(op, x);
  const DimSet set = dim ? dim_set(op.name, x, *dim) : dim_set(op.name, x, {});
  return arg_extreme(op, x, set, keepdim, largest);
}

std::tuple<Tensor, Tensor> with_index(const Op& op, const Tensor& x, std::int64_t dim, bool keepdim,
                                      bool largest) {
  common_device(op, x);
  const std::int64_t d = wrap_dim(op.name, dim, x.dim());
  if (x.dim() == 0) return {x.clone(), zeros({}, TensorOptions(kLong).device(x.device()))};
  const Tensor at = arg_extreme(op, x, dim_set(op.name, x, d), true, largest);
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

Tensor max(const Tensor& input) { return extreme(max_op, input, {}, false, true); }
Tensor min(const Tensor& input) { return extreme(min_op, input, {}, false, false); }
Tensor amax(const Tensor& input, IntArrayRef dims, bool keepdim) {
  return extreme(amax_op, input, dims, keepdim, true);
}
Tensor amin(const Tensor& input, IntArrayRef dims, bool keepdim) {
  return extreme(amin_op, input, dims, keepdim, false);
}
std::tuple<Tensor, Tensor> max(const Tensor& input, std::int64_t dim, bool keepdim) {
  return with_index(max_op, input, dim, keepdim, true);
}
std::tuple<Tensor, Tensor> min(const Tensor& input, std::int64_t dim, bool keepdim) {
  return with_index(min_op, input, dim, keepdim, false);
}
Tensor argmax(const Tensor& input, optional<std::int64_t> dim, bool keepdim) {
  return arg_extreme(argmax_op, input, dim, keepdim, true);
}
Tensor argmin(const Tensor& input, optional<std::int64_t> dim, bool keepdim) {
  return arg_extreme(argmin_op, input, dim, keepdim, false);
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
