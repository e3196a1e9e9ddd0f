// Plain loops that the compiler vectorizes. Ranks run on one core each, so there is no
// parallel_for.
#include "distributed/transport/host_reduce.h"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace td::distributed {
namespace {

// MIN and MAX keep a NaN whichever side it comes from, as PyTorch's do on one device.
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return a != a || a < b ? a : b;
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return a != a || a > b ? a : b;
  }
};
struct Sum {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct Product {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a * b);
  }
};

// What happens to an element last: AVG divides the sum. A division takes as long as ten additions,
// so where the number is a power of two it is a multiplication, which then gives the same bits.
struct Keep {
  template <class C>
  C operator()(C x) const {
    return x;
  }
};
template <class C>
struct DividedBy {
  C count;
  C operator()(C x) const { return x / count; }
};
template <class C>
struct Times {
  C share;
  C operator()(C x) const { return x * share; }
};

// Elements that fit the nearest cache while several arrays are read once each.
constexpr std::int64_t kBlock = 2048;

// Each element is read before it is written, so `result` may be one of the arrays.
template <class T, class Op, class Last>
void reduce_two(T* result, const T* a, const T* b, std::int64_t numel, Op op, Last last) {
  using C = compute_t<T>;
#pragma omp simd
  for (std::int64_t i = 0; i < numel; ++i)
    result[i] = static_cast<T>(last(op(static_cast<C>(a[i]), static_cast<C>(b[i]))));
}

template <class T, class Op, class Last>
void reduce_many(T* result, const void* const* arrays, int count, std::int64_t numel, Op op,
                 Last last) {
  using C = compute_t<T>;
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

template <class T, class Op, class Last>
void reduce_arrays(T* result, const void* const* arrays, int count, std::int64_t numel, Op op,
                   Last last) {
  if (count != 2) return reduce_many(result, arrays, count, numel, op, last);
  reduce_two(result, static_cast<const T*>(arrays[0]), static_cast<const T*>(arrays[1]), numel, op,
             last);
}

// Calls f with what divides by `count`.
template <class C, class F>
void with_division(int count, F&& f) {
  if (std::has_single_bit(static_cast<unsigned>(count)))
    f(Times<C>{C(1) / static_cast<C>(count)});
  else
    f(DividedBy<C>{static_cast<C>(count)});
}

template <class T>
void reduce_as(ReduceOp op, T* result, const void* const* arrays, int count, std::int64_t numel) {
  const auto run = [&](auto functor) {
    reduce_arrays(result, arrays, count, numel, functor, Keep{});
  };
  using C = compute_t<T>;
  switch (op) {
    case ReduceOp::AVG:
      // Only floating point tensors get here: integers have no average.
      if constexpr (std::is_floating_point_v<C>)
        return with_division<C>(
            count, [&](auto last) { reduce_arrays(result, arrays, count, numel, Sum{}, last); });
      [[fallthrough]];
    case ReduceOp::SUM:
      return run(Sum{});
    case ReduceOp::PRODUCT:
      return run(Product{});
    case ReduceOp::MIN:
      return run(Min{});
    case ReduceOp::MAX:
      return run(Max{});
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
