// The largest and smallest elements. Their values: max, min, amax, amin; any and all are the
// largest and the smallest of truth values. The gradient is divided evenly among equal elements.
// Their indices: argmax, argmin, and max and min along a dimension, which return value and index
// and send the gradient to that element; the first of equal elements wins. NaN beats every number.
#include <limits>

#include "td/kernels/index_kernel.h"
#include "td/kernels/reduce.h"
#include "td/ops/reduce/dims.h"

namespace td {
namespace {

/// The largest (or smallest) element; NaN wins.
template <class T, bool kLargest>
struct Extreme {
  using Acc = compute_t<T>;
  using WideAcc = Acc;
  using Out = T;
  TD_HD Acc start() const {
    if constexpr (std::is_floating_point_v<Acc>)
      return kLargest ? -std::numeric_limits<Acc>::infinity()
                      : std::numeric_limits<Acc>::infinity();
    else
      return kLargest ? std::numeric_limits<Acc>::lowest() : std::numeric_limits<Acc>::max();
  }
  TD_HD void add(Acc& lane, Acc x, std::int64_t) const {
    // A NaN is taken, and it stays, because no number is larger or smaller. The first line becomes
    // one vector instruction.
    const Acc better = (kLargest ? x > lane : x < lane) ? x : lane;
    lane = x != x ? x : better;
  }
  TD_HD WideAcc combine(WideAcc a, WideAcc b) const {
    add(a, b, 0);
    return a;
  }
  TD_HD Out project(WideAcc total) const { return static_cast<Out>(total); }
};

/// An element and its index among those that are combined.
template <class T>
struct ValueIndex {
  T value;
  std::int64_t index;
};

template <class T>
struct ArgExtreme {
  using Acc = ValueIndex<compute_t<T>>;
  using WideAcc = Acc;
  using Out = std::int64_t;
  using ByIndex = void;
  bool largest;
  TD_HD Acc start() const { return {0, -1}; }          // no element yet
  TD_HD bool wins(const Acc& a, const Acc& b) const {  // whether a is chosen over b
    if (b.index < 0) return true;
    if (a.value != a.value) return b.value == b.value || a.index < b.index;
    if (b.value != b.value) return false;
    return (largest ? a.value > b.value : a.value < b.value) ||
           (a.value == b.value && a.index < b.index);
  }
  TD_HD void add(Acc& lane, compute_t<T> x, std::int64_t index) const {
    const Acc candidate{x, index};
    if (wins(candidate, lane)) lane = candidate;
  }
  TD_HD WideAcc combine(const WideAcc& a, const WideAcc& b) const {
    return b.index >= 0 && wins(b, a) ? b : a;
  }
  TD_HD Out project(const WideAcc& total) const { return total.index; }
};

/// On the host, where a group is a run of memory: the first element that is the extreme one.
template <class T>
struct FirstOf {
  ReduceShape s;
  const T* x;
  const T* extremes;
  std::int64_t* out;

  TD_HD std::int64_t cost() const { return s.reduced.count; }
  TD_HD void operator()(std::int64_t i) const {
    const T* const group = x + s.kept.offset(i);
    const auto extreme = static_cast<compute_t<T>>(extremes[i]);
    const auto chosen = [&](std::int64_t j) {
      const auto v = static_cast<compute_t<T>>(group[j]);
      return (v == extreme) | (v != v);  // a NaN is there only when it is the extreme
    };
    constexpr std::int64_t kBlock = 64;  // searched as a whole, by vector instructions
    std::int64_t j = 0;
    for (int found = 0; j + kBlock <= s.reduced.count; j += kBlock) {
      for (std::int64_t k = 0; k < kBlock; ++k) found |= chosen(j + k);
      if (found) break;
    }
    while (!chosen(j)) ++j;
    out[i] = j;
  }
};

Tensor extreme(const char* op, const char* node, const Tensor& x, IntArrayRef dims, bool keepdim,
               bool largest) {
  const DimSet set = dim_set(op, x, dims);
  check_not_empty(op, x, set);
  Tensor y = empty_on(reduced_sizes(x.sizes(), set, keepdim), x.dtype(), x.device());
  kernels::extreme(y, x, set, largest);
  if (recording(x))
    record(node, y, {&x}, [x = save(x), y = save_result(y), set](const Tensor& g) {
      return share_evenly(g, x(), y().detach(), set);
    });
  return y;
}

// any is the largest of the truth values, all the smallest.
Tensor truth(const char* op, const Tensor& input, IntArrayRef dims, bool keepdim, bool any) {
  const DimSet set = dim_set(op, input, dims);
  const Tensor x = input.dtype() == kBool ? input : input.detach().ne(Scalar(0));
  Tensor y = empty_on(reduced_sizes(x.sizes(), set, keepdim), kBool, x.device());
  kernels::extreme(y, x, set, any);
  return input.dtype() == kByte ? y.to(kByte) : y;  // as libtorch does
}

// int64 indices along `dim`, or in the flattened tensor; and the extremes themselves where they
// were computed on the way.
struct Found {
  Tensor index, extremes;
};
Found arg_extreme(const char* op, const Tensor& input, optional<std::int64_t> dim, bool keepdim,
                  bool largest) {
  const DimSet set = dim ? dim_set(op, input, *dim) : dim_set(op, input, {});
  check_not_empty(op, input, set);
  const Tensor x = input.dtype() == kBool ? input.to(kByte) : input;
  Tensor y = empty_on(reduced_sizes(x.sizes(), set, keepdim), kLong, x.device());
  const char* const kernel = largest ? "argmax" : "argmin";
  const ReduceShape shape = plan_reduce(x, set);
  const bool in_runs = shape.reduced.dims == 1 && shape.reduced.strides[0] == 1;
  Tensor extremes;
  if (in_runs && !x.is_cuda()) {
    extremes = empty_on(y.impl().sizes, x.dtype(), x.device());
    kernels::extreme(extremes, x, set, largest);
  }
  dispatch_numbers(kernel, x.dtype(), [&]<class T>(CppType<T>) {
    if (!extremes.defined()) return reduce<T>(kernel, ArgExtreme<T>{largest}, y, x, set);
    const FirstOf<T> first{shape, Pointer{x}, Pointer{extremes}, Pointer{y}};
    launch_index_kernel(kernel, y.device(), first, y.numel(), {&x, &extremes}, {&y});
  });
  return {y, extremes};
}

std::tuple<Tensor, Tensor> with_index(const char* op, const Tensor& x, std::int64_t dim,
                                      bool keepdim, bool largest) {
  device_of(op, x);
  const std::int64_t d = wrap_dim(op, dim, x.dim());
  if (x.dim() == 0) return {x.clone(), zeros({}, TensorOptions(kLong).device(x.device()))};
  const auto [at, extremes] = arg_extreme(op, x, d, true, largest);
  const bool known = extremes.defined() && extremes.dtype() == x.dtype();
  Tensor values = known ? extremes : kernels::gather(x, d, at);
  if (!keepdim) {  // no view: it may be changed in place
    const Sizes sizes = reduced_sizes(x.sizes(), DimSet{1} << d, false);
    values.impl().set_geometry(sizes, contiguous_strides(sizes));
  }
  record_selection(op, values, x, d, at);
  return {values, keepdim ? at : at.squeeze(d)};
}

}  // namespace

void kernels::extreme(const Tensor& out, const Tensor& x, DimSet dims, bool largest) {
  dispatch_all(x.dtype(), [&]<class T>(CppType<T>) {
    if (largest)
      reduce<T>("amax", Extreme<T, true>{}, out, x, dims);
    else
      reduce<T>("amin", Extreme<T, false>{}, out, x, dims);
  });
}

Tensor share_evenly(const Tensor& g, const Tensor& x, const Tensor& y, DimSet dims) {
  const Sizes kept = reduced_sizes(x.sizes(), dims, true);
  const Tensor chosen = x.eq(y.reshape(kept)).to(x.dtype());
  Tensor count = empty_on(kept, x.dtype(), x.device());
  kernels::sum(count, chosen, dims);
  return g.reshape(kept) / count * chosen;
}

Tensor max(const Tensor& input) { return extreme("max", "max1", input, {}, false, true); }
Tensor min(const Tensor& input) { return extreme("min", "min1", input, {}, false, false); }
Tensor amax(const Tensor& input, IntArrayRef dims, bool keepdim) {
  return extreme("amax", "amax", input, dims, keepdim, true);
}
Tensor amin(const Tensor& input, IntArrayRef dims, bool keepdim) {
  return extreme("amin", "amin", input, dims, keepdim, false);
}
Tensor any(const Tensor& input) { return truth("any", input, {}, false, true); }
Tensor any(const Tensor& input, std::int64_t dim, bool keepdim) {
  return truth("any", input, dim, keepdim, true);
}
Tensor all(const Tensor& input) { return truth("all", input, {}, false, false); }
Tensor all(const Tensor& input, std::int64_t dim, bool keepdim) {
  return truth("all", input, dim, keepdim, false);
}

std::tuple<Tensor, Tensor> max(const Tensor& input, std::int64_t dim, bool keepdim) {
  return with_index("max", input, dim, keepdim, true);
}
std::tuple<Tensor, Tensor> min(const Tensor& input, std::int64_t dim, bool keepdim) {
  return with_index("min", input, dim, keepdim, false);
}
Tensor argmax(const Tensor& input, optional<std::int64_t> dim, bool keepdim) {
  return arg_extreme("argmax", input, dim, keepdim, true).index;
}
Tensor argmin(const Tensor& input, optional<std::int64_t> dim, bool keepdim) {
  return arg_extreme("argmin", input, dim, keepdim, false).index;
}

}  // namespace td
