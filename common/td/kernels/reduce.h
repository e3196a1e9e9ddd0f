// The reduce shape: out[i] = all elements of a group combined, for any dimensions and strides.
// A kernel file calls `reduce<In>(name, reducer, out, x, dims)`. The reducer has
//   Acc start(); add(Acc&, x, index)     the inner loop, in the compute type; vectorizes
//   WideAcc combine(WideAcc, WideAcc)    partial results, in a type that every Acc converts to
//   Out project(WideAcc)                 the result
//   ByIndex   any type; a reducer that reads `index` has it: elements come in the sizes' order
// Invariant: the order of combining depends on the shape alone, never on the number of threads, so
// equal inputs give equal bits.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "td/base/parallel.h"
#include "td/kernels/geometry.h"
#include "td/kernels/launch.h"
#ifdef TD_DEVICE_CODE
#include "td/kernels/reduce_cuda.h"
#endif

namespace td {
namespace {

/// Results that one task computes together when the kept dimension is the contiguous one.
constexpr int kColumns = 64;
/// Independent partial results of one long run: they hide the latency of the addition.
constexpr int kLanes = 16;
/// Elements after which each lane joins its (wider) total: sixteen additions per lane in float.
constexpr std::int64_t kBlock = 256;
/// A group is cut into at most this many pieces for several threads.
constexpr int kMaxPieces = 16;
constexpr std::int64_t kReduceGrain = 32768;

/// The work of one reduction. R: the reducer, In: the element type.
template <class R, class In>
struct ReduceWork {
  using Acc = typename R::Acc;
  using WideAcc = typename R::WideAcc;
  using Out = typename R::Out;

  R r;
  const In* x;
  Out* out;
  ReduceShape s;
  WideAcc* partial = nullptr;  // cuda: what pieces of a group add up to

  static compute_t<In> load(const In& value) { return static_cast<compute_t<In>>(value); }

  void on_host() const {
    if (s.kept.count == 0) return;
    const std::int64_t width = is_by_columns(s) ? s.kept.sizes[s.kept.dims - 1] : 1;
    const std::int64_t per_row = (width + kColumns - 1) / kColumns;
    const std::int64_t tiles = s.kept.count / width * per_row;
    const std::int64_t work = s.reduced.count * std::min<std::int64_t>(width, kColumns);
    // Few large tiles are cut into pieces for all threads, one tile after another.
    const bool cut = tiles < kMaxPieces && work > 2 * kReduceGrain;
    const auto run = [&](std::int64_t a, std::int64_t b) {
      for (std::int64_t i = a; i < b; ++i) {
        const std::int64_t column = i % per_row * kColumns, first = i / per_row * width + column;
        const int n = static_cast<int>(std::min<std::int64_t>(kColumns, width - column));
        cut ? in_pieces(first, n) : whole(first, n);
      }
    };
    if (cut) return run(0, tiles);
    const std::int64_t grain = kReduceGrain / std::max<std::int64_t>(work, 1);
    parallel_for(0, tiles, std::max<std::int64_t>(1, grain), run);
  }

  // Results [first, first + n) by this thread alone.
  void whole(std::int64_t first, int n) const {
    WideAcc totals[kColumns];
    fold(first, n, 0, s.reduced.count, totals);
    for (int c = 0; c < n; ++c) out[first + c] = r.project(totals[c]);
  }

  // The same with the groups cut into pieces, joined in order.
  [[gnu::noinline]] void in_pieces(std::int64_t first, int n) const {
    const std::int64_t count = s.reduced.count;
    const std::int64_t length =
        std::max((count + kMaxPieces - 1) / kMaxPieces, kReduceGrain / std::max(n, 1));
    const std::int64_t cut = (count + length - 1) / length;
    WideAcc totals[kMaxPieces][kColumns];
    parallel_for(0, cut, 1, [&](std::int64_t a, std::int64_t b) {
      for (std::int64_t p = a; p < b; ++p)
        fold(first, n, p * length, std::min(count, (p + 1) * length), totals[p]);
    });
    for (int c = 0; c < n; ++c) {
      WideAcc total = r.start();
      for (std::int64_t p = 0; p < cut; ++p) total = r.combine(total, totals[p][c]);
      out[first + c] = r.project(total);
    }
  }

  // Combines elements [begin, end) of the groups of n neighboring results.
  // Not inlined: one body per reducer and type, however many callers.
  [[gnu::noinline]] void fold(std::int64_t first, int n, std::int64_t begin, std::int64_t end,
                              WideAcc* totals) const {
    for (int c = 0; c < n; ++c) totals[c] = r.start();
    if (begin >= end) return;  // nothing to add, and perhaps no memory to point into
    const In* from = x + s.kept.offset(first);
    if (is_by_columns(s)) return fold_columns(from, n, begin, end, totals);
    if (s.reduced.dims == 1) {
      totals[0] = fold_run(from + begin * s.reduced.strides[0], end - begin, begin);
      return;
    }
    const int inner = s.reduced.dims - 1;
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t run =
          std::min(end - i, s.reduced.sizes[inner] - i % s.reduced.sizes[inner]);
      totals[0] = r.combine(totals[0], fold_run(from + s.reduced.offset(i), run, i));
      i += run;
    }
  }

  [[gnu::noinline]] WideAcc fold_run(const In* p, std::int64_t n, std::int64_t index) const {
    const std::int64_t stride = s.reduced.strides[s.reduced.dims - 1];
    if (stride == 1 && n >= kLanes) return fold_lanes(p, n, index);
    const R reducer = r;
    WideAcc total = reducer.start();
    for (std::int64_t b = 0; b < n; b += kBlock / kLanes) {
      Acc lane = reducer.start();
      const std::int64_t m = std::min(n, b + kBlock / kLanes);
      for (std::int64_t i = b; i < m; ++i) reducer.add(lane, load(p[i * stride]), index + i);
      total = reducer.combine(total, lane);
    }
    return total;
  }

  WideAcc fold_lanes(const In* p, std::int64_t n, std::int64_t index) const {
    // A total that is no wider than a lane gains nothing from being joined early.
    constexpr std::int64_t block =
        std::is_same_v<Acc, WideAcc> ? std::numeric_limits<std::int64_t>::max() : kBlock;
    const R reducer = r;
    WideAcc totals[kLanes];
    for (int k = 0; k < kLanes; ++k) totals[k] = reducer.start();
    for (std::int64_t b = 0; b < n; b += std::min(n, block)) {
      const std::int64_t m = std::min(n - b, block);
      Acc lane[kLanes];
      for (int k = 0; k < kLanes; ++k) lane[k] = reducer.start();
      std::int64_t i = 0;
      for (; i + kLanes <= m; i += kLanes) {
#pragma omp simd
        for (int k = 0; k < kLanes; ++k)
          reducer.add(lane[k], load(p[b + i + k]), index + b + i + k);
      }
      for (int k = 0; i + k < m; ++k) reducer.add(lane[k], load(p[b + i + k]), index + b + i + k);
#pragma omp simd
      for (int k = 0; k < kLanes; ++k) totals[k] = reducer.combine(totals[k], lane[k]);
    }
    // Joined pairwise: four steps, where one after another would take sixteen that wait.
    for (int half = kLanes / 2; half > 0; half /= 2)
      for (int k = 0; k < half; ++k) totals[k] = reducer.combine(totals[k], totals[k + half]);
    return totals[0];
  }

  [[gnu::noinline]] void fold_columns(const In* from, int n, std::int64_t begin, std::int64_t end,
                                      WideAcc* totals) const {
    const R reducer = r;
    const std::int64_t stride = s.kept.strides[s.kept.dims - 1];
    constexpr std::int64_t rows = kBlock / kLanes;
    for (std::int64_t b = begin; b < end; b += rows) {
      Acc lane[kColumns];
      for (int c = 0; c < n; ++c) lane[c] = reducer.start();
      for (std::int64_t i = b; i < std::min(end, b + rows); ++i) {
        const In* p = from + s.reduced.offset(i);
        In room[kColumns];
        if (stride != 1) {
          for (int c = 0; c < n; ++c) room[c] = p[c * stride];
          p = room;
        }
        for (int c = 0; c < n; ++c) reducer.add(lane[c], load(p[c]), i);
      }
      for (int c = 0; c < n; ++c) totals[c] = reducer.combine(totals[c], lane[c]);
    }
  }

#ifdef TD_DEVICE_CODE
  void on_cuda(cudaStream_t stream) const { reduce_on_cuda(*this, s, stream); }
  __device__ In element(std::int64_t at, std::int64_t, std::int64_t) const { return x[at]; }
  __device__ void store(std::int64_t result, const WideAcc& total) const {
    out[result] = r.project(total);
  }
#endif
};

/// out[i] = the combination of x over `dims`. `out` is dense and row-major over the kept
/// dimensions.
/// @param second a tensor whose memory the reducer reads in addition to x.
template <class In, class R>
void reduce(const char* name, const R& reducer, const Tensor& out, const Tensor& x, DimSet dims,
            const Tensor* second = nullptr) {
  ReduceWork<R, In> work{reducer, Pointer{x}, Pointer{out}, plan_reduce(x, dims)};
  if constexpr (!requires { typename R::ByIndex; })
    work.s.reduced = in_memory_order(work.s.reduced);
  Tensor room;
#ifdef TD_DEVICE_CODE
  room = room_for_pieces<typename R::WideAcc>(out.device(), work.s);
  work.partial = Pointer{room};
#endif
  launch(name, out.device(), work, {&x, second ? second : &x}, {&out, &room});
}

// The reducers that several files use.

/// Partial sums of floats are added in double: a float sum over millions then keeps float's
/// accuracy.
template <class T>
using total_t = std::conditional_t<std::is_floating_point_v<compute_t<T>>, double, std::int64_t>;

/// The sum, times `factor` where it is a float. Derived reducers add up a function of the elements.
template <class T, class Result>
struct Sum {
  using Acc =
      std::conditional_t<std::is_floating_point_v<compute_t<T>>, compute_t<T>, std::int64_t>;
  using WideAcc = total_t<T>;
  using Out = Result;
  double factor = 1;
  TD_HD Acc start() const { return Acc(0); }
  TD_HD void add(Acc& lane, compute_t<T> x, std::int64_t) const { lane += static_cast<Acc>(x); }
  TD_HD WideAcc combine(WideAcc a, WideAcc b) const { return a + b; }
  TD_HD Out project(WideAcc total) const {
    if constexpr (std::is_floating_point_v<WideAcc>)
      return static_cast<Out>(static_cast<compute_t<Out>>(total * factor));
    else
      return static_cast<Out>(total);
  }
};

}  // namespace
}  // namespace td
