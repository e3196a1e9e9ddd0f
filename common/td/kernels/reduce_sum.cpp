// Kernels of sum, mean and prod.
#define TD_KERNEL_FILE
#include "td/kernels/kernels.h"
#include "td/kernels/reduce.h"
#include "td/kernels/reducers.h"

namespace td {
namespace {

template <class T>
struct Product {
  using Lane = compute_t<T>;
  using Total = total_t<T>;
  using Out = T;
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
  dispatch_all(x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    using Out = std::conditional_t<std::is_floating_point_v<compute_t<T>>, T, std::int64_t>;
    reduce<T>("sum", Sum<T, Out>{{factor}}, out, x, dims);
  });
}

void prod(const Tensor& out, const Tensor& x, DimSet dims) {
  if (x.dtype() == kLong)
    return reduce<std::int64_t>("prod", Product<std::int64_t>{}, out, x, dims);
  dispatch_floats("prod", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    reduce<T>("prod", Product<T>{}, out, x, dims);
  });
}

}  // namespace kernels
}  // namespace td
