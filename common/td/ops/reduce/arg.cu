// The index of the largest and smallest elements: argmax, argmin, and max and min along a
// dimension, which return value and index and send the gradient to that element. NaN beats every
// number; the first of equal elements wins.
#include "td/kernels/reduce.h"
#include "td/ops/reduce/dims.h"

namespace td {
namespace {

constexpr Op max_op{"max", {"input"}}, min_op{"min", {"input"}};
constexpr Op argmax_op{"argmax", {"input"}}, argmin_op{"argmin", {"input"}};

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

// int64 indices along `dim`, or in the flattened tensor.
Tensor arg_extreme(const Op& op, const Tensor& input, optional<std::int64_t> dim, bool keepdim,
                   bool largest) {
  const Device device = common_device(op, input);
  const DimSet set = dim ? dim_set(op.name, input, *dim) : dim_set(op.name, input, {});
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

std::tuple<Tensor, Tensor> with_index(const Op& op, const Tensor& x, std::int64_t dim, bool keepdim,
                                      bool largest) {
  common_device(op, x);
  const std::int64_t d = wrap_dim(op.name, dim, x.dim());
  if (x.dim() == 0) return {x.clone(), zeros({}, TensorOptions(kLong).device(x.device()))};
  const Tensor at = arg_extreme(op, x, d, true, largest);
  Tensor values = empty_on(at.impl().sizes, x.dtype(), x.device());
  kernels::gather(values, x.detach().contiguous(), d, at);
  if (!keepdim) values = values.squeeze(d);
  if (recording(x))
    record(op.name, values, {&x},
           [at, d, sizes = x.impl().sizes](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] {
               return zeros(sizes, g.options()).scatter_add_(d, at, g.reshape(at.sizes()));
             });
           });
  return {values, keepdim ? at : at.squeeze(d)};
}

}  // namespace

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

}  // namespace td
