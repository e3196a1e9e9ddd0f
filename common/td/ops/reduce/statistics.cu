// prod, norm, var, std and logsumexp. The usual orders of norm, and the variance, are one reduction
// each; other orders and logsumexp are expressions of other operations. Where elements are 0, the
// gradient of prod cannot be found by division, and takes a product of all other elements for each.
#include <cmath>

#include "td/kernels/reduce.h"
#include "td/ops/reduce/dims.h"

namespace td {
namespace {

// The norms of order 1 and 2.
template <class T>
struct SumOfMagnitudes : Sum<T, T> {
  TD_HD void add(compute_t<T>& lane, compute_t<T> x, std::int64_t) const { lane += x < 0 ? -x : x; }
};
template <class T>
struct RootOfSquares : Sum<T, T> {
  TD_HD void add(compute_t<T>& lane, compute_t<T> x, std::int64_t) const { lane += x * x; }
  TD_HD T project(double total) const {
    return static_cast<T>(static_cast<compute_t<T>>(std::sqrt(total)));
  }
};

/// Mean and sum of squared distances from it, of `count` elements.
struct Moments {
  double mean, squares, count;
};

/// The same of a few elements: sums of their distances from the first one, which is close to their
/// mean where the mean is large, so that no digits are lost.
template <class C>
struct ShiftedSums {
  C first, sum, squares, count;
  TD_HD operator Moments() const {
    if (count == 0) return {0, 0, 0};
    const double n = count, s = sum;
    return {first + s / n, squares - s * s / n, n};
  }
};

/// Chan's formula joins the moments of elements that were summed in the compute type: one pass, no
/// cancellation, and a division for every few elements.
template <class T>
struct Variance {
  using Acc = ShiftedSums<compute_t<T>>;
  using WideAcc = Moments;
  using Out = T;
  double correction;
  bool root;
  TD_HD Acc start() const { return {0, 0, 0, 0}; }
  TD_HD void add(Acc& lane, compute_t<T> x, std::int64_t) const {
    lane.first = lane.count == 0 ? x : lane.first;
    const compute_t<T> d = x - lane.first;
    lane.count += 1;
    lane.sum += d;
    lane.squares += d * d;
  }
  TD_HD WideAcc combine(const WideAcc& a, const WideAcc& b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const double count = a.count + b.count, delta = b.mean - a.mean, share = b.count / count;
    return {a.mean + delta * share, a.squares + b.squares + delta * delta * a.count * share, count};
  }
  TD_HD Out project(const WideAcc& t) const {
    // 0/0 is NaN on purpose: the variance of one element with correction does not exist.
    const double divisor = t.count - correction;
    const double variance = t.squares / (divisor > 0 ? divisor : 0.0);
    return static_cast<Out>(static_cast<compute_t<T>>(root ? std::sqrt(variance) : variance));
  }
};

// At 0 a norm has no gradient; as in PyTorch it counts as 0 there.
Tensor norm_gradient(const Tensor& g, const Tensor& x, const Tensor& y, double p, DimSet dims) {
  if (p == 0) return zeros_like(x);
  const Tensor gk = keep_dims(g, x.sizes(), dims), yk = keep_dims(y, x.sizes(), dims);
  if (p == 1) return gk * x.sign();
  if (p == 2) return x * (gk / yk).masked_fill(yk.eq(Scalar(0)), 0);
  if (!std::isinf(p)) {
    const Tensor share = x * x.abs().pow(p - 2).masked_fill(x.eq(Scalar(0)), 0);
    return share * (gk / yk.pow(p - 1)).masked_fill(yk.eq(Scalar(0)), 0);
  }
  return x.sign() * share_evenly(g, x.abs(), y, dims);
}

// Order 1: the sum of magnitudes, 2: the root of the sum of squares, each in one pass; infinite:
// the largest magnitude; other orders are sums of powers.
Tensor norm_value(const Tensor& x, double p, DimSet dims, bool keepdim) {
  const NoGradGuard no_grad;
  Tensor y = empty_on(reduced_sizes(x.sizes(), dims, keepdim), x.dtype(), x.device());
  const bool nothing = reduced_count(x.sizes(), dims) == 0;  // whose largest magnitude is 0
  if (p == 1 || p == 2) {
    dispatch_floats("norm", x.dtype(), [&]<class T>(CppType<T>) {
      if (p == 1)
        reduce<T>("norm", SumOfMagnitudes<T>{}, y, x, dims);
      else
        reduce<T>("norm", RootOfSquares<T>{}, y, x, dims);
    });
  } else if (std::isinf(p)) {
    nothing ? kernels::fill(y, 0) : kernels::extreme(y, x.abs(), dims, true);
  } else {
    kernels::sum(y, p == 0 ? x.ne(Scalar(0)).to(x.dtype()) : x.abs().pow(p), dims);
    if (p != 0) return y.pow(1 / p);
  }
  return y;
}

Tensor spread(const char* op, const Tensor& x, IntArrayRef dims, bool unbiased, bool keepdim,
              bool root) {
  const DimSet set = dim_set(op, x, dims);
  const double correction = unbiased ? 1 : 0;
  Tensor y = empty_on(reduced_sizes(x.sizes(), set, keepdim), x.dtype(), x.device());
  dispatch_floats(op, x.dtype(), [&]<class T>(CppType<T>) {
    reduce<T>("var", Variance<T>{correction, root}, y, x, set);
  });
  if (!recording(x)) return y;
  // d var / d x = 2 (x - mean) / (count - correction);  d std = d var / (2 std), and 0 at 0.
  const double factor = 2.0 / (static_cast<double>(reduced_count(x.sizes(), set)) - correction);
  record(op, y, {&x},
         [x = save(x), y = save_result(y), dims = Sizes(dims), set, factor, root](const Tensor& g) {
           const Tensor xs = x();
           Tensor gk = keep_dims(g, xs.sizes(), set);
           if (root) {
             const Tensor yk = keep_dims(y(), xs.sizes(), set);
             gk = (gk / (yk * Scalar(2))).masked_fill(yk.eq(Scalar(0)), 0);
           }
           return gk * (xs - mean(xs, dims, true)) * Scalar(factor);
         });
  return y;
}

template <class T, class Result>
struct Product {
  using Acc = compute_t<T>;
  using WideAcc = total_t<T>;
  using Out = Result;
  TD_HD Acc start() const { return Acc(1); }
  TD_HD void add(Acc& lane, Acc x, std::int64_t) const { lane *= x; }
  TD_HD WideAcc combine(WideAcc a, WideAcc b) const { return a * b; }
  TD_HD Out project(WideAcc total) const { return static_cast<Out>(static_cast<Acc>(total)); }
};

Tensor prod_gradient(const Tensor& g, const Tensor& x, const Tensor& y, DimSet dims) {
  const Tensor gk = keep_dims(g, x.sizes(), dims), yk = keep_dims(y, x.sizes(), dims);
  check_may_wait("the gradient of prod", x.device());
  if (!x.eq(Scalar(0)).any().item<bool>()) return gk * yk / x;
  if (reduced_sizes(x.sizes(), dims, false).empty())  // one group of all elements
    return g * leaving_one_out(x.reshape({x.numel()}), 0).prod(-1).reshape(x.sizes());
  std::int64_t dim = 0;
  while (!(dims >> dim & 1u)) ++dim;
  return gk * leaving_one_out(x, dim).prod(-1).transpose(dim, -1);
}

Tensor product(const Tensor& input, IntArrayRef dims, bool keepdim, optional<ScalarType> dtype) {
  const DimSet set = dim_set("prod", input, dims);
  const Tensor given = summand(input, dtype);
  const Tensor x = as_type(given, given.is_floating_point() ? given.dtype() : kLong);
  Tensor y = empty_on(reduced_sizes(x.sizes(), set, keepdim), sum_type(x, dtype), x.device());
  if (x.dtype() == kLong)
    reduce<std::int64_t>("prod", Product<std::int64_t, std::int64_t>{}, y, x, set);
  else
    dispatch_mixed("prod", x.dtype(), y.dtype(), [&]<class T, class Out>(CppType<T>, CppType<Out>) {
      reduce<T>("prod", Product<T, Out>{}, y, x, set);
    });
  if (recording(x))
    record("prod", y, {&x}, [x = save(x), y = save_result(y), set](const Tensor& g) {
      return prod_gradient(g, x(), y(), set);
    });
  return dtype ? as_type(y, *dtype) : y;
}

}  // namespace

// The running products of scan.cu need it too.
Tensor leaving_one_out(const Tensor& x, std::int64_t dim) {
  const std::int64_t n = x.size(dim);
  const Tensor lines = x.transpose(dim, -1).unsqueeze(-2);  // [..., 1, n]
  Sizes sizes(lines.sizes());
  sizes[sizes.size() - 2] = n;
  const Tensor itself = eye(n, TensorOptions(kBool).device(x.device()));
  return where(itself, Scalar(1), lines.expand(sizes));
}

Tensor prod_impl(const Tensor& input, optional<ScalarType> dtype) {
  return product(input, {}, false, dtype);
}
Tensor prod_impl(const Tensor& input, std::int64_t dim, bool keepdim, optional<ScalarType> dtype) {
  return product(input, dim, keepdim, dtype);
}

Tensor norm(const Tensor& input, const Scalar& p, IntArrayRef dims, bool keepdim) {
  if (autocast::active()) [[unlikely]] {
    const auto in_type = [&](const Tensor& x, const optional<ScalarType>& dtype) {
      return norm(dtype ? as_type(x, *dtype) : x, p, dims, keepdim);
    };
    return autocast::run(autocast::rule("norm"), in_type, input, optional<ScalarType>());
  }
  device_of("norm", input);
  TD_CHECK(DtypeError, input.is_floating_point(), "norm: expected a floating point tensor but got ",
           input.dtype(), "; convert it with to(kFloat32)");
  const DimSet set = dim_set("norm", input, dims);
  const double order = p.to<double>();
  if (std::isinf(order)) check_not_empty("norm", input, set);
  if (std::isinf(order) && order < 0) return amin(input.abs(), dims, keepdim);
  const Tensor y = norm_value(input, order, set, keepdim);
  if (recording(input))
    record("norm", y, {&input}, [x = save(input), y = save_result(y), order, set](const Tensor& g) {
      return norm_gradient(g, x(), y(), order, set);
    });
  return y;
}
Tensor norm(const Tensor& input, const Scalar& p) { return norm(input, p, {}, false); }

Tensor var(const Tensor& input, IntArrayRef dims, bool unbiased, bool keepdim) {
  return spread("var", input, dims, unbiased, keepdim, false);
}
Tensor std(const Tensor& input, IntArrayRef dims, bool unbiased, bool keepdim) {
  return spread("std", input, dims, unbiased, keepdim, true);
}

Tensor logsumexp_impl(const Tensor& input, IntArrayRef dims, bool keepdim) {
  const DimSet set = dim_set("logsumexp", input, dims);
  const Tensor x = as_type(input, float_type(input.dtype()));
  if (reduced_count(x.sizes(), set) == 0) return log(sum(exp(x), dims, keepdim));
  // The largest element is taken out first, so that exp() cannot overflow; it is a constant here,
  // because its gradient cancels. An infinite one is left in: infinity minus itself is NaN.
  const Tensor largest = amax(x.detach(), dims, true);
  const Tensor shift = largest.masked_fill(isinf(largest), 0);
  // A sum of float16 would be infinite from 65,520 equal elements on.
  const Tensor total = sum(exp(x - shift), dims, true, promote_types(x.dtype(), kFloat));
  const Tensor y = as_type(log(total) + shift, x.dtype());
  return keepdim ? y : y.reshape(reduced_sizes(x.sizes(), set, false));
}

}  // namespace td
