// Sorting rows: which element comes first, second, ... On the host each row goes to the standard
// library's stable sort; on cuda sorted runs are merged, of 1, 2, 4, ... elements, one thread an
// element, which finds its place in the merged run by binary search in the neighbouring run.
#define TD_KERNEL_FILE
#include <algorithm>
#include <numeric>

#include "td/base/parallel.h"
#include "td/kernels/kernels.h"
#include "td/kernels/launch.h"

namespace td {
namespace {

/// Whether a must stand before b. NaN counts as larger than every number.
template <class T, bool kDescending>
struct Before {
  TD_HD bool operator()(T a, T b) const {
    using C = compute_t<T>;
    const C x = static_cast<C>(kDescending ? b : a), y = static_cast<C>(kDescending ? a : b);
    return x < y || (y != y && x == x);
  }
};

/// Sorts every row of x [rows, n]: order[i][k] is the place of the k-th element of row i.
template <class T, bool kDescending>
struct SortWork {
  using First = Before<T, kDescending>;
  const T* x;
  std::int64_t *order, *other;  // `other` is as large: merging goes back and forth
  std::int64_t rows, n;

  void on_host() const {
    const std::int64_t grain = std::max<std::int64_t>(1, 4096 / std::max<std::int64_t>(1, n));
    parallel_for(0, rows, grain, [this](std::int64_t a, std::int64_t b) {
      for (std::int64_t i = a; i < b; ++i) {
        const T* row = x + i * n;
        std::iota(order + i * n, order + (i + 1) * n, std::int64_t{0});
        std::stable_sort(order + i * n, order + (i + 1) * n,
                         [row](std::int64_t p, std::int64_t q) { return First{}(row[p], row[q]); });
      }
    });
  }
#ifdef __CUDACC__
  void on_cuda(cudaStream_t stream) const;
#endif
};

#ifdef __CUDACC__
__global__ void number_rows(std::int64_t* order, std::int64_t count, std::int64_t n) {
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    order[i] = i % n;
}

/// Merges neighbouring runs of `width` elements of each row. An element of the left run stays
/// before equal ones of the right run, so the sort is stable.
template <class T, class First>
__global__ void merge_runs(const T* x, const std::int64_t* from, std::int64_t* to,
                           std::int64_t count, std::int64_t n, std::int64_t width) {
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const std::int64_t start = i / n * n, j = i - start;
    const std::int64_t pair = j / (2 * width) * (2 * width), middle = min(pair + width, n);
    const bool left = j < middle;
    const T own = x[start + from[i]];
    // How many of the neighbouring run come before this element: [low, high) narrows to the place.
    const std::int64_t first = left ? middle : pair;
    std::int64_t low = first, high = left ? min(pair + 2 * width, n) : middle;
    while (low < high) {
      const std::int64_t at = (low + high) / 2;
      const T its = x[start + from[start + at]];
      const bool comes_before = left ? First{}(its, own) : !First{}(own, its);
      if (comes_before)
        low = at + 1;
      else
        high = at;
    }
    const std::int64_t own_rank = left ? j - pair : j - middle;
    to[start + pair + own_rank + (low - first)] = from[i];
  }
}

template <class T, bool kDescending>
void SortWork<T, kDescending>::on_cuda(cudaStream_t stream) const {
  const std::int64_t count = rows * n;
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>((count + 255) / 256, 132 * 16));
  // Passes alternate between the two buffers; begin where the last pass ends in `order`.
  int passes = 0;
  for (std::int64_t width = 1; width < n; width *= 2) ++passes;
  std::int64_t *from = passes % 2 ? other : order, *to = passes % 2 ? order : other;
  number_rows<<<blocks, 256, 0, stream>>>(from, count, n);
  for (std::int64_t width = 1; width < n; width *= 2) {
    merge_runs<T, First><<<blocks, 256, 0, stream>>>(x, from, to, count, n, width);
    std::swap(from, to);
  }
}
#endif

template <bool kDescending>
void run(const Tensor& order, const Tensor& other, const Tensor& x) {
  dispatch_all(x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const std::int64_t n = x.sizes().back();
    const Tensor& second = other.defined() ? other : order;
    const SortWork<T, kDescending> work{
        kernel_pointer<const T>(x), kernel_pointer<std::int64_t>(order),
        kernel_pointer<std::int64_t>(second), n ? x.numel() / n : 0, n};
    launch("sort", x.device(), work, {&x}, {&order, &second});
  });
}

}  // namespace

namespace kernels {

void sort_rows(const Tensor& order, const Tensor& x, bool descending) {
  const Tensor other = x.is_cuda() ? empty_on(order.impl().sizes, kLong, x.device()) : Tensor();
  (descending ? run<true> : run<false>)(order, other, x);
}

}  // namespace kernels
}  // namespace td
