// Plain loops that the compiler vectorizes. Ranks run on one core each, so there is no
// parallel_for.
#include <algorithm>
#include <bit>
#include <type_traits>

#include "distributed/transport/transport.h"

namespace td::distributed {
namespace {

// Elements that fit the nearest cache while several arrays are read once each.
constexpr std::int64_t kBlock = 2048;

// Each element is read before it is written, so `result` may be one of the arrays.
template <class T, class Op, class Last>
void reduce_arrays(T* result, const void* const* arrays, int count, std::int64_t numel, Op op,
                   Last last) {
  using C = compute_t<T>;
  if (count == 2) {
    const T *a = static_cast<const T*>(arrays[0]), *b = static_cast<const T*>(arrays[1]);
#pragma omp simd
    for (std::int64_t i = 0; i < numel; ++i)
      result[i] = static_cast<T>(last(op(static_cast<C>(a[i]), static_cast<C>(b[i]))));
    return;
  }
  C sum[kBlock];
  for (std::int64_t start = 0; start < numel; start += kBlock) {
    const std::int64_t n = std::min(kBlock, numel - start);
    const T* first = static_cast<const T*>(arrays[0]) + start;
    for (std::int64_t i = 0; i < n; ++i) sum[i] = static_cast<C>(first[i]);
    for (int a = 1; a < count; ++a) {
      const T* next = static_cast<const T*>(arrays[a]) + start;
      for (std::int64_t i = 0; i < n; ++i) sum[i] = op(sum[i], static_cast<C>(next[i]));
    }
    for (std::int64_t i = 0; i < n; ++i) result[start + i] = static_cast<T>(last(sum[i]));
  }
}

template <class T>
void reduce_as(ReduceOp op, T* result, const void* const* arrays, int count, std::int64_t numel) {
  using C = compute_t<T>;
  const auto run = [&](auto combine, auto last) {
    reduce_arrays(result, arrays, count, numel, combine, last);
  };
  const auto sum = [](C a, C b) { return static_cast<C>(a + b); };
  const auto keep = [](C x) { return x; };
  switch (op) {
    case ReduceOp::AVG:
      // Only floating point tensors get here: integers have no average. A division takes as long as
      // ten additions, so where the number is a power of two it is a multiplication, which then
      // gives the same bits.
      if constexpr (std::is_floating_point_v<C>) {
        const C n = static_cast<C>(count);
        if (std::has_single_bit(static_cast<unsigned>(count)))
          return run(sum, [share = 1 / n](C x) { return x * share; });
        return run(sum, [n](C x) { return x / n; });
      }
      [[fallthrough]];
    case ReduceOp::SUM:
      return run(sum, keep);
    case ReduceOp::PRODUCT:
      return run([](C a, C b) { return static_cast<C>(a * b); }, keep);
    // A NaN stays, whichever side it comes from, as PyTorch's do on one device.
    case ReduceOp::MIN:
      return run([](C a, C b) { return a != a || a < b ? a : b; }, keep);
    case ReduceOp::MAX:
      return run([](C a, C b) { return a != a || a > b ? a : b; }, keep);
  }
}

}  // namespace

void reduce_all(void* result, const void* const* arrays, int count, std::int64_t numel,
                ScalarType dtype, ReduceOp op) {
  if (count == 1 && arrays[0] == result) return;
  dispatch_all(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    reduce_as(op, static_cast<T*>(result), arrays, count, numel);
  });
}

}  // namespace td::distributed
