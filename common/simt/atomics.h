// Atomic functions on global and shared memory. Included by simt/kernel.h. Integer operations are
// the compiler's own builtins, which the hooks observe; the others are a loop around
// compare-and-swap, which reports one access.
//
// Invariant: all are relaxed, as on a GPU; only fences order other accesses.
#pragma once

#include "simt/device_calls.h"
#include "simt/warp.h"

namespace td::simt {

template <std::size_t bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<2> {
  using type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
  using type = std::uint64_t;
};

/// Replaces *address by `change(*address)`, and returns the old value.
template <class T, class Change>
__attribute__((noinline, no_sanitize("thread"))) T atomic_change(T* address, Change change) {
  tell_atomic(address, sizeof(T), __builtin_return_address(0));
  using Bits = typename UnsignedOf<sizeof(T)>::type;
  Bits* const bits = reinterpret_cast<Bits*>(address);
  Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(bits, &old, same_bits<Bits>(change(same_bits<T>(old))), false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return same_bits<T>(old);
}

/// Replaces *address by `value` where it is `expected`, and returns the old value.
template <class T>
TD_SIMT_INLINE T atomic_compare(T* address, T expected, T value) {
  before_atomic();
  __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
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

/// The function, and its forms for the threads of a block or of the whole system, which are the
/// same here.
#define TD_SIMT_ATOMIC(T, name, parameters, ...)                           \
  TD_SIMT_INLINE T atomic##name parameters { return __VA_ARGS__; }         \
  TD_SIMT_INLINE T atomic##name##_block parameters { return __VA_ARGS__; } \
  TD_SIMT_INLINE T atomic##name##_system parameters { return __VA_ARGS__; }
#define TD_SIMT_BUILTIN(T, name, builtin)         \
  TD_SIMT_ATOMIC(T, name, (T * address, T value), \
                 (td::simt::before_atomic(), builtin(address, value, __ATOMIC_RELAXED)))
#define TD_SIMT_CHANGE(T, name, Change) \
  TD_SIMT_ATOMIC(T, name, (T * address, T value), td::simt::atomic_change(address, Change{value}))
#define TD_SIMT_EXCHANGES(T)                                 \
  TD_SIMT_BUILTIN(T, Exch, __atomic_exchange_n)              \
  TD_SIMT_ATOMIC(T, CAS, (T * address, T expected, T value), \
                 td::simt::atomic_compare(address, expected, value))
#define TD_SIMT_EXTREMES(T)                  \
  TD_SIMT_CHANGE(T, Min, td::simt::Least<T>) \
  TD_SIMT_CHANGE(T, Max, td::simt::Greatest<T>)
#define TD_SIMT_INTEGER_ATOMICS(T)            \
  TD_SIMT_EXCHANGES(T)                        \
  TD_SIMT_EXTREMES(T)                         \
  TD_SIMT_BUILTIN(T, Add, __atomic_fetch_add) \
  TD_SIMT_BUILTIN(T, And, __atomic_fetch_and) \
  TD_SIMT_BUILTIN(T, Or, __atomic_fetch_or)   \
  TD_SIMT_BUILTIN(T, Xor, __atomic_fetch_xor)

TD_SIMT_ATOMIC(unsigned short, CAS,
               (unsigned short* address, unsigned short expected, unsigned short value),
               td::simt::atomic_compare(address, expected, value))
TD_SIMT_INTEGER_ATOMICS(int)
TD_SIMT_INTEGER_ATOMICS(unsigned)
TD_SIMT_INTEGER_ATOMICS(unsigned long long)
TD_SIMT_EXTREMES(long long)
TD_SIMT_BUILTIN(int, Sub, __atomic_fetch_sub)
TD_SIMT_BUILTIN(unsigned, Sub, __atomic_fetch_sub)
TD_SIMT_CHANGE(float, Add, td::simt::Plus<float>)
TD_SIMT_CHANGE(double, Add, td::simt::Plus<double>)
TD_SIMT_CHANGE(__half, Add, td::simt::Plus<__half>)
TD_SIMT_CHANGE(__nv_bfloat16, Add, td::simt::Plus<__nv_bfloat16>)
TD_SIMT_CHANGE(__half2, Add, td::simt::Plus<__half2>)
TD_SIMT_CHANGE(__nv_bfloat162, Add, td::simt::Plus<__nv_bfloat162>)
TD_SIMT_CHANGE(unsigned, Inc, td::simt::CountUp)
TD_SIMT_CHANGE(unsigned, Dec, td::simt::CountDown)
TD_SIMT_ATOMIC(float, Exch, (float* address, float value),
               td::simt::from_bits<float>(atomicExch(reinterpret_cast<unsigned*>(address),
                                                     __builtin_bit_cast(unsigned, value))))
#undef TD_SIMT_INTEGER_ATOMICS
#undef TD_SIMT_EXTREMES
#undef TD_SIMT_EXCHANGES
