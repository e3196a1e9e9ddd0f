// Functions of cooperative groups: reductions, prefix sums and copies. What
// <cooperative_groups/reduce.h>, scan.h and memcpy_async.h include for kernels on sim.
#pragma once

#include "simt/cooperative_groups.h"

namespace cooperative_groups {

#define TD_SIMT_OPERATION(name, expression)                            \
  template <class T = void>                                            \
  struct name {                                                        \
    TD_SIMT_INLINE T operator()(T a, T b) const { return expression; } \
  };                                                                   \
  template <>                                                          \
  struct name<void> {                                                  \
    template <class T>                                                 \
    TD_SIMT_INLINE T operator()(T a, T b) const {                      \
      return expression;                                               \
    }                                                                  \
  };
TD_SIMT_OPERATION(plus, a + b)
TD_SIMT_OPERATION(less, b < a ? b : a)
TD_SIMT_OPERATION(greater, a < b ? b : a)
TD_SIMT_OPERATION(bit_and, a& b)
TD_SIMT_OPERATION(bit_or, a | b)
TD_SIMT_OPERATION(bit_xor, a ^ b)
#undef TD_SIMT_OPERATION

/// The values of all threads, combined; each thread gets the result.
///@{
template <unsigned count, class Parent, class T, class Operation>
TD_SIMT_INLINE T reduce(const thread_block_tile<count, Parent>& group, T value, Operation&& op) {
  if constexpr (count > 32) {
    static_assert(sizeof(T) <= 8, "a value of a tile has at most 8 bytes");
    using Slot [[gnu::may_alias]] = T;
    const auto slot = [&](unsigned warp) -> Slot& {
      return *reinterpret_cast<Slot*>(group.values() + warp);
    };
    value = reduce(tiled_partition<32>(this_thread_block()), value, op);
    if (details::own() == 0) slot(group.thread_rank() / 32) = value;
    group.sync();
    value = slot(0);
    for (unsigned warp = 1; warp < count / 32; ++warp)
      value = static_cast<T>(op(value, slot(warp)));
    group.sync();
  } else {
    for (unsigned step = count / 2; step > 0; step /= 2)
      value = static_cast<T>(op(value, group.shfl_xor(value, step)));
  }
  return value;
}
template <class T, class Operation>
TD_SIMT_INLINE T reduce(const coalesced_group& group, T value, Operation&& op) {
  for (unsigned step = 1; step < group.size(); step *= 2) {
    const T other = group.shfl_down(value, step);
    if (group.thread_rank() + step < group.size()) value = static_cast<T>(op(value, other));
  }
  return group.shfl(value, 0);
}
///@}

/// The values of the threads up to the own one, combined; or of those before it.
///@{
template <class Group, class T, class Operation = plus<>>
TD_SIMT_INLINE T inclusive_scan(const Group& group, T value, Operation&& op = {}) {
  for (unsigned step = 1; step < group.size(); step *= 2) {
    const T other = group.shfl_up(value, step);
    if (group.thread_rank() >= step) value = static_cast<T>(op(other, value));
  }
  return value;
}
template <class Group, class T, class Operation = plus<>>
TD_SIMT_INLINE T exclusive_scan(const Group& group, T value, Operation&& op = {}) {
  const T before = group.shfl_up(inclusive_scan(group, value, op), 1);
  return group.thread_rank() == 0 ? T{} : before;
}
///@}

/// Copies together, elements in turn. wait() ends the copy.
///@{
template <class Group, class T>
TD_SIMT_INLINE void memcpy_async(const Group& group, T* to, const T* from, std::size_t bytes) {
  td::simt::share_copy(group, to, from, bytes);
  td::simt::async_commit();
}
template <class Group, class T, class ToCount, class FromCount>
TD_SIMT_INLINE void memcpy_async(const Group& group, T* to, const ToCount& to_count, const T* from,
                                 const FromCount& from_count) {
  const std::size_t a = to_count, b = from_count;
  td::simt::share_copy(group, to, from, (a < b ? a : b) * sizeof(T));
  td::simt::async_commit();
}
template <class Group>
TD_SIMT_INLINE void wait(const Group& group) {
  td::simt::async_wait(0);
  group.sync();
}
template <unsigned left, class Group>
TD_SIMT_INLINE void wait_prior(const Group& group) {
  td::simt::async_wait(left);
  group.sync();
}
///@}

}  // namespace cooperative_groups
