// The reducers that more than one kernel file uses. A reducer says how elements are combined:
//   Lane start(); add(Lane&, x, index)   inner loop, in the type it computes in, vectorizes
//   Total none(); total(Lane); merge(Total, Total)   joins partial results, in a wider type
//   Out finish(Total)
//   ByIndex   any type; a reducer that uses `index` has it, and gets the order of the sizes
// Included by kernel files only.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "td/tensor/dtype.h"

namespace td {
namespace {

/// Partial sums of floats meet in double: a float sum over millions then keeps float's accuracy.
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
/// What becomes of the total: itself times a factor, or its square root.
struct Scale {
  double factor;
  TD_HD double operator()(double total) const { return total * factor; }
};
struct Root {
  TD_HD double operator()(double total) const { return sqrt(total); }
};

template <class T, class Result, class Each = Plain, class Last = Scale>
struct Sum {
  using Lane =
      std::conditional_t<std::is_floating_point_v<compute_t<T>>, compute_t<T>, std::int64_t>;
  using Total = total_t<T>;
  using Out = Result;
  Last last;
  TD_HD Lane start() const { return Lane(0); }
  TD_HD void add(Lane& lane, compute_t<T> x, std::int64_t) const {
    lane += Each{}(static_cast<Lane>(x));
  }
  TD_HD Total none() const { return Total(0); }
  TD_HD Total total(Lane lane) const { return static_cast<Total>(lane); }
  TD_HD Total merge(Total a, Total b) const { return a + b; }
  TD_HD Out finish(Total total) const {
    if constexpr (std::is_floating_point_v<Total>)
      return static_cast<Out>(static_cast<compute_t<Out>>(last(total)));
    else
      return static_cast<Out>(total);
  }
};

/// The largest (or smallest) element; NaN wins.
template <class T, bool kLargest, class Each = Plain>
struct Extreme {
  using Lane = compute_t<T>;
  using Total = Lane;
  using Out = T;
  TD_HD static bool better(Lane x, Lane than) { return kLargest ? x > than : x < than; }
  TD_HD Lane start() const {
    if constexpr (std::is_floating_point_v<Lane>)
      return kLargest ? -std::numeric_limits<Lane>::infinity()
                      : std::numeric_limits<Lane>::infinity();
    else
      return kLargest ? std::numeric_limits<Lane>::lowest() : std::numeric_limits<Lane>::max();
  }
  TD_HD void add(Lane& lane, Lane x, std::int64_t) const {
    const Lane value = Each{}(x);
    // A NaN is neither <= nor >=, so it is taken; once taken, it stays. Written so that it
    // vectorizes.
    const bool stay = (kLargest ? value <= lane : value >= lane) || lane != lane;
    lane = stay ? lane : value;
  }
  TD_HD Total none() const { return start(); }
  TD_HD Total total(Lane lane) const { return lane; }
  TD_HD Total merge(Total a, Total b) const {
    add(a, b, 0);
    return a;
  }
  TD_HD Out finish(Total total) const { return static_cast<Out>(total); }
};

}  // namespace
}  // namespace td
