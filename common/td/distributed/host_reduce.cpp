// Plain loops that the compiler vectorizes. Ranks run on one core each, so there is no
// parallel_for.
#include "td/distributed/host_reduce.h"

#include <algorithm>
#include <cstring>

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

// Calls f(functor) for the operation; AVG is a sum until the end.
template <class F>
void with_operation(ReduceOp op, F&& f) {
  switch (op) {
    case ReduceOp::SUM:
    case ReduceOp::AVG:
      return f(Sum{});
    case ReduceOp::PRODUCT:
      return f(Product{});
    case ReduceOp::MIN:
      return f(Min{});
    case ReduceOp::MAX:
      return f(Max{});
  }
}

// Elements that fit the nearest cache while several arrays are read once each.
constexpr std::int64_t kBlock = 2048;

template <class T, class Op>
void reduce_blocks(T* result, const void* const* arrays, int count, std::int64_t numel, Op op,
                   bool average) {
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
    if (average)
      for (std::int64_t i = 0; i < n; ++i) sum[i] = static_cast<C>(sum[i] / static_cast<C>(count));
    for (std::int64_t i = 0; i < n; ++i) result[start + i] = static_cast<T>(sum[i]);
  }
}

}  // namespace

void reduce_into(void* into, const void* from, std::int64_t numel, ScalarType dtype, ReduceOp op) {
  const void* arrays[] = {into, from};
  reduce_all(into, arrays, 2, numel, dtype, op == ReduceOp::AVG ? ReduceOp::SUM : op);
}

void reduce_all(void* result, const void* const* arrays, int count, std::int64_t numel,
                ScalarType dtype, ReduceOp op) {
  dispatch_all(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    with_operation(op, [&](auto functor) {
      reduce_blocks(static_cast<T*>(result), arrays, count, numel, functor, op == ReduceOp::AVG);
    });
  });
}

void divide(void* data, std::int64_t numel, ScalarType dtype, int ranks) {
  dispatch_all(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    using C = compute_t<T>;
    T* values = static_cast<T*>(data);
    for (std::int64_t i = 0; i < numel; ++i)
      values[i] = static_cast<T>(static_cast<C>(values[i]) / static_cast<C>(ranks));
  });
}

}  // namespace td::distributed
