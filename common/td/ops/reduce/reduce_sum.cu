// Kernels of sum, mean and prod.
#include "td/kernels/kernels.h"
#include "td/kernels/mixed.h"
#include "td/kernels/reduce.h"
#include "td/kernels/reducers.h"

namespace td {
namespace {

template <class T, class Result>
struct Product {
  using Lane = compute_t<T>;
  using Total = total_t<T>;
  using Out = Result;
  TD_HD Lane start() const { return Lane(1); }
  TD_HD void add(Lane& lane, Lane x, std::int64_t) const { lane *= x; }
  TD_HD Total none() const { return Total(1); }
  TD_HD Total total(Lane lane) const { return static_cast<Total>(lane); }
  TD_HD Total merge(Total a, Total b) const { return a * b; }
  TD_HD Out finish(Total total) const { return static_cast<Out>(static_cast<Lane>(total)); }
};

}  // namespace

namespace kernels {

void sum(const Tensor& out, const Tensor& x, DimSet dims, double factor) {
  if (is_floating_point(x.dtype()))
    return dispatch_mixed("sum", x.dtype(), out.dtype(), [&](auto type, auto result) {
      using T = typename decltype(type)::type;
      using Out = typename decltype(result)::type;
      reduce<T>("sum", Sum<T, Out>{{factor}}, out, x, dims);
    });
  dispatch_all(x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (!std::is_floating_point_v<compute_t<T>>)
      reduce<T>("sum", Sum<T, std::int64_t>{{factor}}, out, x, dims);
  });
}

void prod(const Tensor& out, const Tensor& x, DimSet dims) {
  if (x.dtype() == kLong)
    return reduce<std::int64_t>("prod", Product<std::int64_t, std::int64_t>{}, out, x, dims);
  dispatch_mixed("prod", x.dtype(), out.dtype(), [&](auto type, auto result) {
    using T = typename decltype(type)::type;
    using Out = typename decltype(result)::type;
    reduce<T>("prod", Product<T, Out>{}, out, x, dims);
  });
}

}  // namespace kernels
}  // namespace td
