// Atomic functions on global and shared memory. Included by simt/kernel.h. Integer operations are
// the compiler's own builtins, which the hooks observe; the others are a loop around
// compare-and-swap, which reports one access.
//
// Invariant: all are relaxed, as on a GPU; only fences order other accesses.
#pragma once

#include "simt/device_calls.h"
#include "simt/warp.h"

namespace td::simt {

/// Replaces *address by `change(*address)`, and returns the old value.
template <class T, class Change>
__attribute__((noinline, no_sanitize("thread"))) T atomic_change(T* address, Change change) {
  tell_atomic(address, sizeof(T), __builtin_return_address(0));
  using Bits = decltype([] {
    if constexpr (sizeof(T) == 8)
      return std::uint64_t{};
    else
      return std::uint32_t{};
  }());
  Bits* const bits = reinterpret_cast<Bits*>(address);
  Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(bits, &old,
                                      __builtin_bit_cast(Bits, change(__builtin_bit_cast(T, old))),
                                      false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return __builtin_bit_cast(T, old);
}

/// The operations that are more than a builtin, without hooks.
///@{
template <class T>
struct Plus {
  T value;
  __attribute__((no_sanitize("thread"))) T operator()(T old) const { return old + value; }
};
template <class T>
struct Least {
  T value;
  __attribute__((no_sanitize("thread"))) T operator()(T old) const {
    return old < value ? old : value;
  }
};
template <class T>
struct Greatest {
  T value;
  __attribute__((no_sanitize("thread"))) T operator()(T old) const {
    return old > value ? old : value;
  }
};
struct CountUp {
  unsigned last;
  __attribute__((no_sanitize("thread"))) unsigned operator()(unsigned old) const {
    return old >= last ? 0 : old + 1;
  }
};
struct CountDown {
  unsigned last;
  __attribute__((no_sanitize("thread"))) unsigned operator()(unsigned old) const {
    return old == 0 || old > last ? last : old - 1;
  }
};
///@}

}  // namespace td::simt

#define TD_SIMT_ATOMIC(T, name, builtin)               \
  TD_SIMT_INLINE T atomic##name(T* address, T value) { \
    return builtin(address, value, __ATOMIC_RELAXED);  \
  }
#define TD_SIMT_INTEGER_ATOMICS(T)                                                  \
  TD_SIMT_ATOMIC(T, Add, __atomic_fetch_add)                                        \
  TD_SIMT_ATOMIC(T, And, __atomic_fetch_and)                                        \
  TD_SIMT_ATOMIC(T, Or, __atomic_fetch_or)                                          \
  TD_SIMT_ATOMIC(T, Xor, __atomic_fetch_xor)                                        \
  TD_SIMT_ATOMIC(T, Exch, __atomic_exchange_n)                                      \
  TD_SIMT_INLINE T atomicMin(T* address, T value) {                                 \
    return td::simt::atomic_change(address, td::simt::Least<T>{value});             \
  }                                                                                 \
  TD_SIMT_INLINE T atomicMax(T* address, T value) {                                 \
    return td::simt::atomic_change(address, td::simt::Greatest<T>{value});          \
  }                                                                                 \
  TD_SIMT_INLINE T atomicCAS(T* address, T expected, T value) {                     \
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, \
                                __ATOMIC_RELAXED);                                  \
    return expected;                                                                \
  }
TD_SIMT_INTEGER_ATOMICS(int)
TD_SIMT_INTEGER_ATOMICS(unsigned)
TD_SIMT_INTEGER_ATOMICS(unsigned long long)
TD_SIMT_ATOMIC(int, Sub, __atomic_fetch_sub)
TD_SIMT_ATOMIC(unsigned, Sub, __atomic_fetch_sub)
#undef TD_SIMT_INTEGER_ATOMICS
#undef TD_SIMT_ATOMIC

TD_SIMT_INLINE float atomicAdd(float* address, float value) {
  return td::simt::atomic_change(address, td::simt::Plus<float>{value});
}
TD_SIMT_INLINE double atomicAdd(double* address, double value) {
  return td::simt::atomic_change(address, td::simt::Plus<double>{value});
}
TD_SIMT_INLINE float atomicExch(float* address, float value) {
  return td::simt::from_bits<float>(
      atomicExch(reinterpret_cast<unsigned*>(address), __builtin_bit_cast(unsigned, value)));
}
TD_SIMT_INLINE unsigned atomicInc(unsigned* address, unsigned last) {
  return td::simt::atomic_change(address, td::simt::CountUp{last});
}
TD_SIMT_INLINE unsigned atomicDec(unsigned* address, unsigned last) {
  return td::simt::atomic_change(address, td::simt::CountDown{last});
}
