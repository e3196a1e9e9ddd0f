// The reducers that several files use. A reducer specifies how elements are combined:
//   Acc start(); add(Acc&, x, index)           the inner loop, in the compute type; vectorizes
//   WideAcc identity(), total(Acc), combine(WideAcc, WideAcc)   partial results, in a wider type
//   Out project(WideAcc)                       the result
//   ByIndex   any type; a reducer that reads `index` has it, and gets the order of the sizes
// Included by kernel files only.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "td/tensor/dtype.h"

namespace td {
namespace {

/// Partial sums of floats are added in double: a float sum over millions then keeps float's
/// accuracy.
template <class T>
using total_t = std::conditional_t<std::is_floating_point_v<compute_t<T>>, double, std::int64_t>;

/// What a sum adds up: the element itself, or a function of it.
struct Plain {
  template <class T>
  TD_HD T operator()(T x) const {
    return x;
  }
};
struct Magnitude {
  template <class T>
  TD_HD T operator()(T x) const {
    return x < T(0) ? -x : x;
  }
};
struct Squared {
  template <class T>
  TD_HD T operator()(T x) const {
    return x * x;
  }
};
/// What a total is projected to: itself times a factor, or its square root.
struct Scale {
  double factor;
  TD_HD double operator()(double total) const { return total * factor; }
};
struct Root {
  TD_HD double operator()(double total) const { return std::sqrt(total); }
};

template <class T, class Result, class Each = Plain, class Last = Scale>
struct Sum {
  using Acc =
      std::conditional_t<std::is_floating_point_v<compute_t<T>>, compute_t<T>, std::int64_t>;
  using WideAcc = total_t<T>;
  using Out = Result;
  Last last;
  TD_HD Acc start() const { return Acc(0); }
  TD_HD void add(Acc& lane, compute_t<T> x, std::int64_t) const {
    lane += Each{}(static_cast<Acc>(x));
  }
  TD_HD WideAcc identity() const { return WideAcc(0); }
  TD_HD WideAcc total(Acc lane) const { return static_cast<WideAcc>(lane); }
  TD_HD WideAcc combine(WideAcc a, WideAcc b) const { return a + b; }
  TD_HD Out project(WideAcc total) const {
    if constexpr (std::is_floating_point_v<WideAcc>)
      return static_cast<Out>(static_cast<compute_t<Out>>(last(total)));
    else
      return static_cast<Out>(total);
  }
};

/// The largest (or smallest) element; NaN wins.
template <class T, bool kLargest, class Each = Plain>
struct Extreme {
  using Acc = compute_t<T>;
  using WideAcc = Acc;
  using Out = T;
  TD_HD static bool better(Acc x, Acc than) { return kLargest ? x > than : x < than; }
  TD_HD Acc start() const {
    if constexpr (std::is_floating_point_v<Acc>)
      return kLargest ? -std::numeric_limits<Acc>::infinity()
                      : std::numeric_limits<Acc>::infinity();
    else
      return kLargest ? std::numeric_limits<Acc>::lowest() : std::numeric_limits<Acc>::max();
  }
  TD_HD void add(Acc& lane, Acc x, std::int64_t) const {
    const Acc value = Each{}(x);
    // A NaN is neither <= nor >=, so it is taken; once taken, it stays. Written so that it
    // vectorizes.
    const bool stay = (kLargest ? value <= lane : value >= lane) || lane != lane;
    lane = stay ? lane : value;
  }
  TD_HD WideAcc identity() const { return start(); }
  TD_HD WideAcc total(Acc lane) const { return lane; }
  TD_HD WideAcc combine(WideAcc a, WideAcc b) const {
    add(a, b, 0);
    return a;
  }
  TD_HD Out project(WideAcc total) const { return static_cast<Out>(total); }
};

}  // namespace
}  // namespace td
