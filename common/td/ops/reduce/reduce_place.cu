// Kernels that find where the largest or smallest element is: max, min, argmax, argmin.
// The first of equal elements wins; NaN beats every number.
#include "td/kernels/kernels.h"
#include "td/kernels/reduce.h"
#include "td/kernels/reducers.h"

namespace td {
namespace {

/// An element and its place among those combined.
template <class T>
struct Placed {
  T value;
  std::int64_t index;
};

template <class T, bool kLargest>
struct Place {
  using Lane = Placed<compute_t<T>>;
  using Total = Lane;
  using Out = std::int64_t;
  using ByIndex = void;
  TD_HD Lane start() const { return {Extreme<T, kLargest>{}.start(), -1}; }
  TD_HD static bool wins(const Lane& a, const Lane& b) {  // a over b
    if (b.index < 0) return true;
    if (a.value != a.value) return b.value == b.value || a.index < b.index;
    if (b.value != b.value) return false;
    return Extreme<T, kLargest>::better(a.value, b.value) ||
           (a.value == b.value && a.index < b.index);
  }
  TD_HD void add(Lane& lane, compute_t<T> x, std::int64_t index) const {
    const Lane candidate{x, index};
    if (wins(candidate, lane)) lane = candidate;
  }
  TD_HD Total none() const { return start(); }
  TD_HD Total total(const Lane& lane) const { return lane; }
  TD_HD Total merge(const Total& a, const Total& b) const {
    return b.index >= 0 && wins(b, a) ? b : a;
  }
  TD_HD Out finish(const Total& total) const { return total.index; }
};

}  // namespace

namespace kernels {

void argmax(const Tensor& out, const Tensor& x, DimSet dims) {
  dispatch_numbers("argmax", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    reduce<T>("argmax", Place<T, true>{}, out, x, dims);
  });
}

void argmin(const Tensor& out, const Tensor& x, DimSet dims) {
  dispatch_numbers("argmin", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    reduce<T>("argmin", Place<T, false>{}, out, x, dims);
  });
}

}  // namespace kernels
}  // namespace td
