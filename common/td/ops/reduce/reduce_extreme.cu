// Kernels of amax, amin, any and all: the largest or smallest element, without its place.
#include "td/kernels/kernels.h"
#include "td/kernels/reduce.h"
#include "td/kernels/reducers.h"

namespace td::kernels {

void amax(const Tensor& out, const Tensor& x, DimSet dims) {
  dispatch_all(x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    reduce<T>("amax", Extreme<T, true>{}, out, x, dims);
  });
}

void amin(const Tensor& out, const Tensor& x, DimSet dims) {
  dispatch_all(x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    reduce<T>("amin", Extreme<T, false>{}, out, x, dims);
  });
}

}  // namespace td::kernels
