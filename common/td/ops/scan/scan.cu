// Running sums and products along one dimension: cumsum and cumprod. Real numbers are combined in
// double and rounded for each element; integers are exact.
// The host walks a row in order, and rows with a stride side by side. On cuda a block takes a row
// in chunks and combines the elements of a chunk as a tree, so that reals may differ in their last
// bits from the host's. The tree depends on sizes alone, so the same call gives the same bits
// again.
#include <functional>

#include "td/kernels/launch_plans.h"
#include "td/kernels/rows.h"
#include "td/ops/reduce/dims.h"

namespace td {
namespace {

struct Plus : std::plus<> {
  static constexpr int start = 0;
};
struct Times : std::multiplies<> {
  static constexpr int start = 1;
};

#ifdef TD_DEVICE_CODE
/// The first value of each lane's warp up to and including that lane, combined.
template <class Combine, class A>
__device__ A scan_warp(A value) {
  for (int d = 1; d < 32; d *= 2) {
    const A before = __shfl_up_sync(~0u, value, d);
    if (threadIdx.x >= d) value = Combine{}(before, value);
  }
  return value;
}

/// One row by one block of 32 lanes (x) by up to kScanWarps warps (y), in chunks of kScanItems
/// elements per thread. Each warp has adjacent elements, so its reads are coalesced. A warp adds
/// its elements of a chunk in the type that kernels compute in, and carries the sums in double.
template <class Scan, class Combine>
__global__ void __launch_bounds__(32 * kScanWarps) scan_rows(Scan scan) {
  using A = typename Scan::A;
  using C = typename Scan::C;
  __shared__ A of_warp[kScanWarps];
  const std::int64_t start = scan.s.start(blockIdx.x), n = scan.s.n, stride = scan.s.stride;
  const std::int64_t chunk = std::int64_t(32 * kScanItems) * blockDim.y;
  A carry = Combine::start;  // of all chunks before this one
  for (std::int64_t base = 0; base < n; base += chunk) {
    const std::int64_t first = base + threadIdx.y * (32 * kScanItems) + threadIdx.x;
    C part[kScanItems];
#pragma unroll
    for (int k = 0; k < kScanItems; ++k) {
      const std::int64_t j = first + 32 * k;
      part[k] = j < n ? scan.read(start + j * stride) : C(Combine::start);
    }
#pragma unroll
    for (int k = 0; k < kScanItems; ++k) {
      part[k] = scan_warp<Combine>(part[k]);
      if (k) part[k] = Combine{}(__shfl_sync(~0u, part[k - 1], 31), part[k]);
    }
    if (threadIdx.x == 31) of_warp[threadIdx.y] = static_cast<A>(part[kScanItems - 1]);
    __syncthreads();
    A before = carry;  // of all warps before this one
    for (unsigned w = 0; w < blockDim.y; ++w) {
      if (w == threadIdx.y) before = carry;
      carry = Combine{}(carry, of_warp[w]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kScanItems; ++k) {
      const std::int64_t j = first + 32 * k;
      if (j < n) scan.write(start + j * stride, Combine{}(before, static_cast<A>(part[k])));
    }
  }
}
#endif

template <class T, class Combine>
struct Scan {
  using A = std::conditional_t<std::is_floating_point_v<compute_t<T>>, double, std::int64_t>;
  // Products keep the wide type: they leave the range of a narrow one sooner than sums do.
  using C = std::conditional_t<std::is_same_v<Combine, Plus> && std::is_same_v<A, double>,
                               compute_t<T>, A>;
  RowShape s;
  const T* x;
  T* y;

  TD_HD C read(std::int64_t at) const { return static_cast<C>(static_cast<compute_t<T>>(x[at])); }
  TD_HD void write(std::int64_t at, A total) const {
    y[at] = static_cast<T>(static_cast<compute_t<T>>(total));
  }
  void on_host() const {
    if (s.stride > 1)
      return HostColumns::each_of(
          s, [this](const HostColumns& block, std::int64_t i) { columns(block, s.start(i)); });
    each_index(s.rows, 16 * s.n, [this](std::int64_t row) {
      A total = Combine::start;
      for (std::int64_t j = row * s.n; j < (row + 1) * s.n; ++j)
        write(j, total = Combine{}(total, static_cast<A>(read(j))));
    });
  }
  // Side by side, in the order of memory.
  void columns(const HostColumns& block, std::int64_t start) const {
    A total[HostColumns::kMost];
    std::fill_n(total, block.width, A(Combine::start));
    block.each([&](std::int64_t at, std::int64_t c) {
      total[c] = Combine{}(total[c], static_cast<A>(read(start + at)));
      write(start + at, total[c]);
    });
  }
#ifdef TD_DEVICE_CODE
  void on_cuda(cudaStream_t stream) const {
    if (s.rows == 0 || s.n == 0) return;
    start(scan_rows<Scan, Combine>, unsigned(s.rows), dim3(32, scan_warps(s.n)), stream, *this);
  }
#endif
};

// The running combination of `x` along dimension `d`, a new tensor.
template <class Combine>
Tensor scan(const char* name, const Tensor& x, std::int64_t d) {
  Tensor y = empty_on(x.impl().sizes, x.dtype(), x.device());
  dispatch_numbers(name, x.dtype(), [&]<class T>(CppType<T>) {
    const Scan<T, Combine> work{row_shape(x.sizes(), d), Pointer{x}, Pointer{y}};
    launch(name, y.device(), work, {&x}, {&y});
  });
  return y;
}

// The input as it is scanned: contiguous, integers as int64.
Tensor prepared(const char* op, const Tensor& input, optional<ScalarType> dtype) {
  device_of(op, input);
  const ScalarType own = input.is_floating_point() ? input.dtype() : kLong;
  return as_type(input, dtype.value_or(own)).contiguous();
}

// Sums from each element to the end of its line.
Tensor sum_to_end(const Tensor& x, std::int64_t d) {
  return x.dim() == 0 ? x : flip(cumsum(flip(x, d), d), d);
}

// Where an element is 0, its gradient cannot be found by division. Line i of a square then holds
// the running products with element i left out: the gradient of element i is its line, from i on,
// times g, summed.
Tensor cumprod_gradient_with_zeros(const Tensor& g, const Tensor& x, std::int64_t d) {
  const Tensor without = cumprod(leaving_one_out(x, d), -1);
  return sum(triu(without) * g.transpose(d, -1).unsqueeze(-2), -1).transpose(d, -1);
}

Tensor cumprod_gradient(const Tensor& g, const Tensor& x, const Tensor& y, std::int64_t d) {
  if (x.dim() == 0) return g;
  check_may_wait("the gradient of cumprod", x.device());
  if (x.eq(Scalar(0)).any().item<bool>()) return cumprod_gradient_with_zeros(g, x, d);
  return sum_to_end(g * y, d) / x;
}

}  // namespace

Tensor cumsum_impl(const Tensor& input, std::int64_t dim, optional<ScalarType> dtype) {
  const Tensor x = prepared("cumsum", input, dtype);
  const std::int64_t d = wrap_dim("cumsum", dim, x.dim());
  Tensor y = scan<Plus>("cumsum", x, d);
  if (recording(x)) record("cumsum", y, {&x}, [d](const Tensor& g) { return sum_to_end(g, d); });
  return y;
}

Tensor cumprod_impl(const Tensor& input, std::int64_t dim, optional<ScalarType> dtype) {
  const Tensor x = prepared("cumprod", input, dtype);
  const std::int64_t d = wrap_dim("cumprod", dim, x.dim());
  Tensor y = scan<Times>("cumprod", x, d);
  if (recording(x))
    record("cumprod", y, {&x}, [x = save(x), y = save_result(y), d](const Tensor& g) {
      return cumprod_gradient(g, x(), y(), d);
    });
  return y;
}

}  // namespace td
