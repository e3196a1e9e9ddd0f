// The rows shape: a row program sees one row of a tensor and uses row.max, row.sum and row.each; on
// the host a row is a loop, on cuda the threads of a warp or a block.
// Rows are along one dimension of a dense tensor: element j of row i is at start(i) + j * stride.
// Invariant: a program calls max and sum in the same order in every thread.
#pragma once

#include <algorithm>
#include <limits>

#include "td/kernels/index_kernel.h"

namespace td {
namespace {

/// Where the rows along one dimension are.
struct RowShape {
  std::int64_t rows = 1, n = 1, stride = 1;
  /// The first element of row i.
  TD_HD std::int64_t start(std::int64_t i) const { return i / stride * (n * stride) + i % stride; }
};

inline RowShape row_shape(IntArrayRef sizes, std::int64_t dim) {
  RowShape shape;
  for (std::int64_t d = 0; d < std::ssize(sizes); ++d) {
    (d == dim ? shape.n : shape.rows) *= sizes[d];
    if (d > dim) shape.stride *= sizes[d];
  }
  return shape;
}

/// One row on the host.
struct HostRow {
  std::int64_t n;
  static constexpr bool leader = true;  ///< the thread that writes the row's single results
  /// Sums kept side by side, so that vector instructions work on them at once.
  static constexpr std::int64_t kLanes = 8;

  template <class F>
  TD_HD auto max(F f) const {
    auto largest = f(std::int64_t{0});
    for (std::int64_t j = 1; j < n; ++j) {
      const auto value = f(j);
      largest = value > largest || value != value ? value : largest;
    }
    return largest;
  }
  /// The terms are added in double, so that long rows keep the accuracy of the type.
  template <class F>
  TD_HD auto sum(F f) const {
    double lanes[kLanes] = {}, total = 0;
    std::int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes)
#pragma GCC ivdep  // f may write element j of a result, but reads none of another
      for (std::int64_t k = 0; k < kLanes; ++k) lanes[k] += f(j + k);
    for (; j < n; ++j) total += f(j);
    for (const double lane : lanes) total += lane;
    return static_cast<decltype(f(std::int64_t{0}))>(total);
  }
  /// All of f is inlined: a call of exp would keep the loop from becoming vector instructions.
  template <class F>
  [[gnu::flatten]] TD_HD void each(F f) const {
#pragma GCC ivdep
    for (std::int64_t j = 0; j < n; ++j) f(j);
  }
};

#ifdef TD_DEVICE_CODE
/// One row on a GPU: by the 32 threads of a warp, or by a block of up to 1024.
template <bool kBlock>
struct CudaRow {
  std::int64_t n;
  bool leader;
  __device__ static int lane() { return kBlock ? threadIdx.x + 32 * threadIdx.y : threadIdx.x; }
  __device__ static int width() { return kBlock ? 32 * blockDim.y : 32; }

  template <class A, class R>
  __device__ static A combine(A v, R r) {
    for (int d = 16; d; d /= 2) v = r(v, __shfl_xor_sync(~0u, v, d));
    if constexpr (kBlock) {
      alignas(8) __shared__ unsigned char room[32 * sizeof(double)];
      A* part = reinterpret_cast<A*>(room);
      if (threadIdx.x == 0) part[threadIdx.y] = v;
      __syncthreads();
      v = part[0];
      for (unsigned w = 1; w < blockDim.y; ++w) v = r(v, part[w]);
      __syncthreads();
    }
    return v;
  }
  template <class F>
  __device__ auto max(F f) const {
    using A = decltype(f(std::int64_t{0}));
    const auto larger = [](A a, A b) { return b > a || b != b ? b : a; };
    A v = -std::numeric_limits<A>::infinity();
    for (std::int64_t j = lane(); j < n; j += width()) v = larger(v, f(j));
    return combine(v, larger);
  }
  template <class F>
  __device__ auto sum(F f) const {
    using A = decltype(f(std::int64_t{0}));
    A v = 0;
    for (std::int64_t j = lane(); j < n; j += width()) v += f(j);
    return combine(v, [](A a, A b) { return a + b; });
  }
  template <class F>
  __device__ void each(F f) const {
    for (std::int64_t j = lane(); j < n; j += width()) f(j);
  }
};

template <class Program>
__global__ void short_rows_kernel(Program program, std::int64_t rows, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
  if (i < rows) program(CudaRow<false>{n, threadIdx.x == 0}, i);
}
template <class Program>
__global__ void long_rows_kernel(Program program, std::int64_t n) {
  program(CudaRow<true>{n, threadIdx.x == 0 && threadIdx.y == 0}, blockIdx.x);
}
#endif

/// A program over all rows. Program: `void operator()(row, i) const`.
template <class Program>
struct RowsWork {
  Program program;
  std::int64_t rows, n;

  void on_host() const {
    if (n == 0) return;
    // Each element of a row costs about an exponential: far more than an addition.
    each_index(rows, 16 * n, [this](std::int64_t i) { program(HostRow{n}, i); });
  }
#ifdef TD_DEVICE_CODE
  void on_cuda(cudaStream_t stream) const {
    if (rows == 0 || n == 0) return;
    if (n <= 1024) {
      const auto blocks = static_cast<unsigned>((rows + 3) / 4);
      start(short_rows_kernel<Program>, blocks, dim3(32, 4), stream, program, rows, n);
    } else {
      start(long_rows_kernel<Program>, static_cast<unsigned>(rows), dim3(32, 16), stream, program,
            n);
    }
  }
#endif
};

template <class Program>
RowsWork<Program> rows_work(const Program& program, const RowShape& s) {
  return {program, s.rows, s.n};
}

}  // namespace
}  // namespace td
