// sort, argsort and topk. A kernel finds the order of the elements, and the values are gathered by
// these indices, so the gradient goes back to the elements that the values came from.
// On the host each row goes to the standard library's stable sort or, for topk, its partial sort;
// on cuda sorted runs of 1, 2, 4, ... elements are merged, short ones in shared memory. Each thread
// finds the index of one element by binary search in the neighboring run.
#include <numeric>

#include "td/kernels/index_kernel.h"
#include "td/kernels/launch_plans.h"
#include "td/ops/op.h"

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

#ifdef TD_DEVICE_CODE
/// A row has n elements, of which key(k) is the k-th as they stand now; runs of `width` are sorted.
/// The new index of element j when each two adjacent runs are merged. An element of the
/// left run stays before equal ones of the right run, so the sort is stable.
template <class First, class Index, class Key>
__device__ Index merged_index(const Key& key, Index j, Index width, Index n) {
  const Index pair = j / (2 * width) * (2 * width), middle = ::min(pair + width, n);
  const bool left = j < middle;
  const auto own = key(j);
  // How many of the other run come before this element: [low, high) narrows to the index.
  const Index first = left ? middle : pair;
  Index low = first, high = left ? ::min(pair + 2 * width, n) : middle;
  while (low < high) {
    const Index at = (low + high) / 2;
    const bool comes_before = left ? First{}(key(at), own) : !First{}(own, key(at));
    if (comes_before)
      low = at + 1;
    else
      high = at;
  }
  return (left ? j : pair + j - middle) + low - first;
}

/// Sorts each tile: a block copies it to shared memory and merges runs of 1, 2, 4, ... elements.
template <class T, class First>
__global__ void sort_tiles(const T* x, std::int64_t* order, SortTiles tiles, std::int64_t n) {
  __shared__ T keys[SortTiles::kMost];
  __shared__ short indices[2][SortTiles::kMost];
  const int threads = static_cast<int>(blockDim.x);
  for (std::int64_t t = blockIdx.x; t < tiles.count; t += gridDim.x) {
    const std::int64_t begin = tiles.begin(t);
    const int size = tiles.size(t), row = static_cast<int>(n < size ? n : size);
    for (int i = threadIdx.x; i < size; i += threads) {
      keys[i] = x[begin + i];
      indices[0][i] = static_cast<short>(i);
    }
    int now = 0;
    for (int width = 1; width < row; width *= 2, now = 1 - now) {
      __syncthreads();
      for (int i = threadIdx.x; i < size; i += threads) {
        const short* from = indices[now] + i / row * row;
        const int index =
            merged_index<First>([&](int k) { return keys[from[k]]; }, i % row, width, row);
        indices[1 - now][i / row * row + index] = indices[now][i];
      }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += threads)
      order[begin + i] = (begin + indices[now][i]) % n;
    __syncthreads();
  }
}

/// Merges adjacent runs of `width` elements of each row.
template <class T, class First>
struct MergeRuns {
  const T* x;
  const std::int64_t* from;
  std::int64_t *to, n, width;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t start = i / n * n;
    const auto key = [&](std::int64_t k) { return x[start + from[start + k]]; };
    to[start + merged_index<First>(key, i - start, width, n)] = from[i];
  }
};
#endif

/// Sorts every row of x [rows, n]: order[i][k] is the index of the k-th element of row i, on the
/// host for k < first.
template <class T, bool kDescending>
struct SortWork {
  using First = Before<T, kDescending>;
  const T* x;
  std::int64_t *order, *other;  // `other` is as large: merging goes back and forth
  std::int64_t rows, n, first;

  void on_host() const {
    each_index(rows, 16 * n, [this](std::int64_t i) {
      const T* row = x + i * n;
      std::int64_t *const begin = order + i * n, *const end = begin + n;
      std::iota(begin, end, std::int64_t{0});
      const auto before = [row](auto p, auto q) { return First{}(row[p], row[q]); };
      if (first == n)
        std::stable_sort(begin, end, before);
      else  // not stable by itself: of equal elements, the one with the smaller index goes first
        std::partial_sort(begin, begin + first, end, [before](auto p, auto q) {
          return before(p, q) || (p < q && !before(q, p));
        });
    });
  }
#ifdef TD_DEVICE_CODE
  void on_cuda(cudaStream_t stream) const {
    const std::int64_t count = rows * n, most = 132 * 16;
    if (count == 0) return;
    // Passes alternate between the two buffers; begin where the last pass ends in `order`.
    int passes = 0;
    for (std::int64_t width = SortTiles::kMost; width < n; width *= 2) ++passes;
    std::int64_t *from = passes % 2 ? other : order, *to = passes % 2 ? order : other;
    const SortTiles tiles(rows, n);
    const auto blocks = static_cast<unsigned>(std::min(tiles.count, most));
    start(sort_tiles<T, First>, blocks, 512, stream, x, from, tiles, n);
    for (std::int64_t width = SortTiles::kMost; width < n; width *= 2) {
      IndexKernel<MergeRuns<T, First>>{{x, from, to, n, width}, count}.on_cuda(stream);
      std::swap(from, to);
    }
  }
#endif
};

template <bool kDescending>
void run(const Tensor& order, const Tensor& x, std::int64_t first) {
  const Tensor other = x.is_cuda() ? empty_on(order.impl().sizes, kLong, x.device()) : order;
  dispatch_all(x.dtype(), [&]<class T>(CppType<T>) {
    const std::int64_t n = x.sizes().back();
    const SortWork<T, kDescending> work{
        Pointer{x}, Pointer{order}, Pointer{other}, n ? x.numel() / n : 0, n, first};
    launch("sort", x.device(), work, {&x}, {&order, &other});
  });
}

std::int64_t length(const Tensor& x, std::int64_t dim) { return x.dim() ? x.size(dim) : 1; }

// Indices of the `first` elements of each line along `dim` in sorted order, dense.
Tensor sorted_indices(const Tensor& input, std::int64_t dim, bool descending, std::int64_t first) {
  const NoGradGuard no_grad;
  if (input.dim() == 0) return zeros({}, TensorOptions(kLong).device(input.device()));
  const Tensor lines = input.detach().transpose(dim, -1).contiguous();
  Tensor order = empty_on(lines.impl().sizes, kLong, input.device());
  kernels::sort_rows(order, lines, descending, first);
  return order.narrow(-1, 0, first).transpose(dim, -1).clone(MemoryFormat::Contiguous);
}

// `dense` with its elements in the memory order of `like`, as libtorch lays out results.
Tensor laid_out_like(const Tensor& like, const Tensor& dense) {
  Tensor out = result_like(like, dense.impl().sizes, dense.dtype(), dense.device());
  if (out.is_contiguous()) return dense;
  kernels::convert(out, dense);
  return out;
}

// The elements of `input` at the indices `at` along `dim`.
Tensor values_at(const char* op, const Tensor& input, std::int64_t dim, const Tensor& at) {
  const Tensor values = laid_out_like(input, kernels::gather(input, dim, at));
  record_selection(op, values, input, dim, at);
  return values;
}

}  // namespace

void kernels::sort_rows(const Tensor& order, const Tensor& x, bool descending, std::int64_t first) {
  (descending ? run<true> : run<false>)(order, x, first);
}

std::tuple<Tensor, Tensor> sort(const Tensor& input, std::int64_t dim, bool descending) {
  device_of("sort", input);
  const std::int64_t d = wrap_dim("sort", dim, input.dim());
  const Tensor at = sorted_indices(input, d, descending, length(input, d));
  return {values_at("sort", input, d, at), laid_out_like(input, at)};
}
std::tuple<Tensor, Tensor> sort(const Tensor& input, optional<bool> /*stable*/, std::int64_t dim,
                                bool descending) {
  return sort(input, dim, descending);
}

Tensor argsort(const Tensor& input, std::int64_t dim, bool descending) {
  device_of("argsort", input);
  const std::int64_t d = wrap_dim("argsort", dim, input.dim());
  return laid_out_like(input, sorted_indices(input, d, descending, length(input, d)));
}

std::tuple<Tensor, Tensor> topk(const Tensor& input, std::int64_t k, std::int64_t dim, bool largest,
                                bool /*sorted*/) {
  device_of("topk", input);
  const std::int64_t d = wrap_dim("topk", dim, input.dim());
  const std::int64_t n = length(input, d);
  TD_CHECK(ShapeError, k >= 0 && k <= n, "topk: k is ", k, " but dimension ", d, " has ", n,
           " elements; k must lie between 0 and that");
  const Tensor at = sorted_indices(input, d, largest, k);
  return {values_at("topk", input, d, at), at};
}

}  // namespace td
