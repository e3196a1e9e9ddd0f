// The rows shape: a row program sees one row of a tensor and uses row.read, row.max, row.sum and
// row.each; on the host a row is a loop, on cuda it belongs to a thread, a warp or a block.
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

/// One row on the host. kAdjacent: its elements lie side by side.
template <bool kIsAdjacent>
struct HostRow {
  std::int64_t n;
  static constexpr bool leader = true;  ///< the thread that writes the row's single results
  static constexpr bool kOnHost = true, kAdjacent = kIsAdjacent;
  /// Sums kept side by side, so that vector instructions work on them at once.
  static constexpr std::int64_t kLanes = 8;

  /// The values load(j) of the row, for max, sum and each: a GPU keeps those of a short row.
  template <class Load>
  TD_HD Load read(Load load) const {
    return load;
  }
  template <class F>
  [[gnu::flatten]] TD_HD auto max(F f) const {
    using A = decltype(f(std::int64_t{0}));
    const auto larger = [](A a, A b) { return ((b > a) | (b != b)) ? b : a; };
    A lanes[kLanes];
    for (A& lane : lanes) lane = f(std::int64_t{0});
    std::int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes)
#pragma omp simd
      for (std::int64_t k = 0; k < kLanes; ++k) lanes[k] = larger(lanes[k], f(j + k));
    for (; j < n; ++j) lanes[0] = larger(lanes[0], f(j));
    for (const A lane : lanes) lanes[0] = larger(lanes[0], lane);
    return lanes[0];
  }
  /// The terms are added in double, so that long rows keep the accuracy of the type. All of f is
  /// inlined: a call of exp would keep the loop from becoming vector instructions.
  template <class F>
  [[gnu::flatten]] TD_HD auto sum(F f) const {
    double lanes[kLanes] = {}, total = 0;
    std::int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes)
#pragma omp simd  // f may write element j of a result, but reads none of another
      for (std::int64_t k = 0; k < kLanes; ++k) lanes[k] += f(j + k);
    for (; j < n; ++j) total += f(j);
    for (const double lane : lanes) total += lane;
    return static_cast<decltype(f(std::int64_t{0}))>(total);
  }
  /// The sum of term(value) over the values that `read` returned.
  template <class Values, class Term>
  TD_HD auto sum(const Values& values, Term term) const {
    return sum([&](std::int64_t j) { return term(values(j)); });
  }
  /// f(j) for each element, with all of f inlined, as in sum.
  template <class F>
  [[gnu::flatten]] TD_HD void each(F f) const {
#pragma GCC ivdep
    for (std::int64_t j = 0; j < n; ++j) f(j);
  }
  /// use(j, load(j)) for each element. `use` writes element j of a result; `load` reads no result.
  template <class Load, class Use>
  [[gnu::flatten]] TD_HD void each(Load load, Use use) const {
#pragma GCC ivdep
    for (std::int64_t j = 0; j < n; ++j) use(j, load(j));
  }
};

/// From one element of a row to the next one. A constant lets the host read vectors.
template <class Row>
TD_HD std::int64_t step_of(const RowShape& s) {
  return Row::kAdjacent ? 1 : s.stride;
}

/// Neighboring rows on the host whose elements j lie side by side, as the columns of a matrix do.
struct HostColumns {
  static constexpr std::int64_t kMost = 256;
  std::int64_t n, stride;
  std::int64_t width;  ///< how many rows, at most kMost

  /// f(columns, i) for all rows of a shape with a stride above 1, where i is the first of them.
  template <class F>
  static void each_of(const RowShape& s, F f) {
    const std::int64_t across = (s.stride + kMost - 1) / kMost, blocks = s.rows / s.stride * across;
    each_index(blocks, 16 * s.n * std::min(kMost, s.stride), [=](std::int64_t i) {
      const std::int64_t first = i % across * kMost;
      f(HostColumns{s.n, s.stride, std::min(kMost, s.stride - first)},
        i / across * s.stride + first);
    });
  }

  /// f(at, c) for each element of each row c, in the order of memory; `at` counts from the first.
  template <class F>
  [[gnu::flatten]] void each(F f) const {
    for (std::int64_t j = 0; j < n; ++j)
#pragma GCC ivdep
      for (std::int64_t c = 0; c < width; ++c) f(j * stride + c, c);
  }
};

#ifdef TD_DEVICE_CODE
/// Whom a row on a GPU belongs to: a thread, the 32 threads of a warp, or a block of up to 1024.
enum class RowOf { kThread, kWarp, kBlock };
/// The most elements of a row that a warp computes.
constexpr int kLongestOfWarp = 1024;

/// One row on a GPU.
template <RowOf kOf>
struct CudaRow {
  std::int64_t n;
  static constexpr bool kOnHost = false, kAdjacent = false, kBlock = kOf == RowOf::kBlock;
  /// Elements that a thread loads before it uses the first: a GPU waits for memory most of the time
  /// otherwise.
  static constexpr int kLoads = 4;
  bool leader = kOf == RowOf::kThread || lane() == 0;
  __device__ static int lane() {
    if constexpr (kOf == RowOf::kThread) return 0;
    return kBlock ? threadIdx.x + 32 * threadIdx.y : threadIdx.x;
  }
  __device__ static int width() {
    if constexpr (kOf == RowOf::kThread) return 1;
    return kBlock ? 32 * blockDim.y : 32;
  }

  template <class A, class R>
  __device__ static A combine(A v, R r) {
    if constexpr (kOf != RowOf::kThread)
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
  /// The values of a warp's row, each in a register of the lane that read it.
  template <class V>
  struct Kept {
    V at[kLongestOfWarp / 32];
    __device__ V operator()(std::int64_t j) const;  // not defined: each() knows the places
  };
  template <class Load>
  __device__ auto read(Load load) const {
    if constexpr (kOf == RowOf::kWarp) {
      Kept<decltype(load(n))> kept{};  // zeros past the end, which nothing reads
      each_place([&](int k, std::int64_t j) { kept.at[k] = load(j); });
      return kept;
    } else {
      return load;
    }
  }
  // f(k, j) for the lane's k-th element, j. Unrolled, because an index that is not a constant would
  // turn registers into memory.
  template <class F>
  __device__ void each_place(F f) const {
#pragma unroll
    for (int k = 0; k < kLongestOfWarp / 32; ++k) {
      if (32 * k >= n) break;
      if (32 * k + lane() < n) f(k, 32 * k + lane());
    }
  }

  template <class F>
  __device__ auto max(F f) const {
    using A = decltype(f(std::int64_t{0}));
    const auto larger = [](A a, A b) { return b > a || b != b ? b : a; };
    A v = -std::numeric_limits<A>::infinity();
    each(f, [&](std::int64_t, A x) { v = larger(v, x); });
    return combine(v, larger);
  }
  template <class F>
  __device__ auto sum(F f) const {
    return sum(f, [](auto x) { return x; });
  }
  template <class Values, class Term>
  __device__ auto sum(const Values& values, Term term) const {
    using A = decltype(term(values(0)));
    A v = 0;
    each(values, [&](std::int64_t, auto x) { v += term(x); });
    return combine(v, [](A a, A b) { return a + b; });
  }
  template <class V, class Use>
  __device__ void each(const Kept<V>& kept, Use use) const {
    each_place([&](int k, std::int64_t j) { use(j, kept.at[k]); });
  }
  template <class F>
  __device__ void each(F f) const {
    for (std::int64_t j = lane(); j < n; j += width()) f(j);
  }
  template <class Load, class Use>
  __device__ void each(Load load, Use use) const {
    const int step = width();
    std::int64_t j = lane();
    for (; j + (kLoads - 1) * step < n; j += kLoads * step) {
      decltype(load(j)) x[kLoads];
#pragma unroll
      for (int k = 0; k < kLoads; ++k) x[k] = load(j + k * step);
#pragma unroll
      for (int k = 0; k < kLoads; ++k) use(j + k * step, x[k]);
    }
    for (; j < n; j += step) use(j, load(j));
  }
};

template <RowOf kOf, class Program>
__global__ void rows_kernel(Program program, std::int64_t rows, std::int64_t n) {
  // A block has one row, one for each of its warps, or one for each of its threads.
  const unsigned here =
      kOf == RowOf::kBlock ? 1 : blockDim.y * (kOf == RowOf::kWarp ? 1 : blockDim.x);
  const unsigned mine =
      kOf == RowOf::kBlock ? 0 : threadIdx.y + (kOf == RowOf::kWarp ? 0 : threadIdx.x);
  const std::int64_t i = std::int64_t(blockIdx.x) * here + mine;
  if (i < rows) program(CudaRow<kOf>{n}, i);
}
#endif

/// A program over all rows. Program: `void operator()(row, i) const`, and where the host should
/// compute rows with a stride side by side, `void columns(columns, i) const` for the rows from i.
template <class Program>
struct RowsWork {
  Program program;
  RowShape s;

  void on_host() const {
    if (s.rows == 0 || s.n == 0) return;
    if (s.stride == 1) return one_by_one(HostRow<true>{s.n});
    if constexpr (requires { program.columns(HostColumns{}, s.n); })
      HostColumns::each_of(
          s, [this](const HostColumns& columns, std::int64_t i) { program.columns(columns, i); });
    else
      one_by_one(HostRow<false>{s.n});
  }
  template <class Row>
  void one_by_one(const Row& row) const {
    // Each element of a row costs about an exponential: far more than an addition.
    each_index(s.rows, 16 * s.n, [this, row](std::int64_t i) { program(row, i); });
  }
#ifdef TD_DEVICE_CODE
  void on_cuda(cudaStream_t stream) const {
    if (s.rows == 0 || s.n == 0) return;
    // Neighboring threads read neighboring elements: of neighboring rows, where there are enough to
    // keep a GPU busy, and otherwise of the same row.
    if (s.stride > 1 && s.rows >= kRowsForThreads && s.n <= kTermsOfThread)
      start_rows<RowOf::kThread>(128, dim3(128), stream);
    else if (s.n <= kLongestOfWarp)
      start_rows<RowOf::kWarp>(4, dim3(32, 4), stream);
    else
      start_rows<RowOf::kBlock>(1, dim3(32, 16), stream);
  }
  static constexpr std::int64_t kRowsForThreads = 16384;
  /// One thread adds them one after another, so that rounding errors grow with their number.
  static constexpr std::int64_t kTermsOfThread = 4096;

 private:
  template <RowOf kOf>
  void start_rows(std::int64_t per_block, dim3 threads, cudaStream_t stream) const {
    const auto blocks = static_cast<unsigned>((s.rows + per_block - 1) / per_block);
    start(rows_kernel<kOf, Program>, blocks, threads, stream, program, s.rows, s.n);
  }
#endif
};

template <class Program>
RowsWork<Program> rows_work(const Program& program, const RowShape& s) {
  return {program, s};
}

}  // namespace
}  // namespace td
