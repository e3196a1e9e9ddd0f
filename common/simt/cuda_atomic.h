// cuda::atomic and cuda::atomic_ref of libcu++, for kernels on sim.
//
// Invariant: an order is a fence before the operation, after it, or both, by which the race finder
// orders other accesses; the operation itself is one of atomics.h.
#pragma once

#include <atomic>

#include "simt/async_copy.h"
#include "simt/atomics.h"

namespace cuda {

enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread = 10
};
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;
namespace std {
using namespace ::std;
}

TD_SIMT_INLINE void atomic_thread_fence(memory_order order, thread_scope = thread_scope_system) {
  if (order != memory_order_relaxed) td::simt::fence();
}

/// The operations of both classes. `Self` has address().
template <class Self, class T>
class AtomicOperations {
 public:
  TD_SIMT_INLINE T load(memory_order order = memory_order_seq_cst) const {
    const T value = td::simt::same_bits<T>(__atomic_load_n(bits(), __ATOMIC_RELAXED));
    after(order);
    return value;
  }
  TD_SIMT_INLINE void store(T value, memory_order order = memory_order_seq_cst) const {
    before(order);
    __atomic_store_n(bits(), td::simt::same_bits<Bits>(value), __ATOMIC_RELAXED);
  }
  TD_SIMT_INLINE T exchange(T value, memory_order order = memory_order_seq_cst) const {
    before(order);
    const Bits old =
        __atomic_exchange_n(bits(), td::simt::same_bits<Bits>(value), __ATOMIC_RELAXED);
    after(order);
    return td::simt::same_bits<T>(old);
  }
  TD_SIMT_INLINE bool compare_exchange_strong(T& expected, T value,
                                              memory_order order = memory_order_seq_cst,
                                              memory_order = memory_order_seq_cst) const {
    before(order);
    const Bits wanted = td::simt::same_bits<Bits>(expected);
    const Bits old = td::simt::atomic_compare(bits(), wanted, td::simt::same_bits<Bits>(value));
    after(order);
    expected = td::simt::same_bits<T>(old);
    return old == wanted;
  }
  TD_SIMT_INLINE bool compare_exchange_weak(T& expected, T value,
                                            memory_order order = memory_order_seq_cst,
                                            memory_order = memory_order_seq_cst) const {
    return compare_exchange_strong(expected, value, order);
  }
#define TD_SIMT_FETCH(name, ...)                                                            \
  TD_SIMT_INLINE T fetch_##name(T value, memory_order order = memory_order_seq_cst) const { \
    before(order);                                                                          \
    const T old = __VA_ARGS__;                                                              \
    after(order);                                                                           \
    return old;                                                                             \
  }
  TD_SIMT_FETCH(add, td::simt::atomic_change(address(), td::simt::Plus<T>{value}))
  TD_SIMT_FETCH(sub, td::simt::atomic_change(address(), td::simt::Plus<T>{static_cast<T>(-value)}))
  TD_SIMT_FETCH(min, td::simt::atomic_change(address(), td::simt::Least<T>{value}))
  TD_SIMT_FETCH(max, td::simt::atomic_change(address(), td::simt::Greatest<T>{value}))
  TD_SIMT_FETCH(and, __atomic_fetch_and(address(), value, __ATOMIC_RELAXED))
  TD_SIMT_FETCH(or, __atomic_fetch_or(address(), value, __ATOMIC_RELAXED))
  TD_SIMT_FETCH(xor, __atomic_fetch_xor(address(), value, __ATOMIC_RELAXED))
#undef TD_SIMT_FETCH
  TD_SIMT_INLINE operator T() const { return load(); }
  TD_SIMT_INLINE T operator++() const { return fetch_add(1) + 1; }
  TD_SIMT_INLINE T operator++(int) const { return fetch_add(1); }
  TD_SIMT_INLINE T operator--() const { return fetch_sub(1) - 1; }
  TD_SIMT_INLINE T operator--(int) const { return fetch_sub(1); }
  TD_SIMT_INLINE T operator+=(T value) const { return fetch_add(value) + value; }
  TD_SIMT_INLINE T operator-=(T value) const { return fetch_sub(value) - value; }
  /// Waits until the object has another value.
  TD_SIMT_INLINE void wait(T old, memory_order order = memory_order_seq_cst) const {
    while (load(memory_order_relaxed) == old) td::simt::wait_for_others();
    after(order);
  }
  TD_SIMT_INLINE void notify_one() const {}
  TD_SIMT_INLINE void notify_all() const {}

 private:
  using Bits = typename td::simt::UnsignedOf<sizeof(T)>::type;
  TD_SIMT_INLINE T* address() const {
    td::simt::before_atomic();
    return static_cast<const Self*>(this)->address();
  }
  TD_SIMT_INLINE Bits* bits() const { return reinterpret_cast<Bits*>(address()); }
  TD_SIMT_INLINE static void before(memory_order order) {
    if (order == memory_order_release || order >= memory_order_acq_rel) td::simt::fence();
  }
  TD_SIMT_INLINE static void after(memory_order order) {
    if (order != memory_order_relaxed && order != memory_order_release) td::simt::fence();
  }
};

/// Atomic operations on an object that is elsewhere.
template <class T, thread_scope scope = thread_scope_system>
class atomic_ref : public AtomicOperations<atomic_ref<T, scope>, T> {
 public:
  TD_SIMT_INLINE explicit atomic_ref(T& object) : object_(&object) {}
  TD_SIMT_INLINE T* address() const { return object_; }
  TD_SIMT_INLINE T operator=(T value) const { return this->store(value), value; }

 private:
  T* object_;
};

/// An object with atomic operations.
template <class T, thread_scope scope = thread_scope_system>
class atomic : public AtomicOperations<atomic<T, scope>, T> {
 public:
  constexpr atomic() : value_() {}
  constexpr atomic(T value) : value_(value) {}
  atomic(const atomic&) = delete;
  TD_SIMT_INLINE T* address() const { return &value_; }
  TD_SIMT_INLINE T operator=(T value) { return this->store(value), value; }

 private:
  mutable T value_;
};

}  // namespace cuda
