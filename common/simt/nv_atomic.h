// CUDA's atomic functions with an order and a scope, __nv_atomic_load_n and its kin (CUDA C++
// Programming Guide, "Atomic Functions"), for programs of `./course cuda`.
//
// Invariant: each is the operation of cuda::atomic_ref with the same order. Scopes are the same
// here.
#pragma once

#include "simt/cuda_atomic.h"

// The orders have the numbers of the compiler's builtins, as cuda::memory_order has.
#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

namespace td::simt {

/// The object at `address`, with atomic operations.
template <class T>
TD_SIMT_INLINE auto nv_atomic(T* address) {
  using Object = std::remove_cv_t<T>;
  return cuda::atomic_ref<Object>(*const_cast<Object*>(address));
}
/// One of the orders above, as C++ names it.
constexpr cuda::memory_order nv_order(int order) { return static_cast<cuda::memory_order>(order); }

}  // namespace td::simt

#define TD_SIMT_SCOPE int = __NV_THREAD_SCOPE_SYSTEM

template <class T>
TD_SIMT_INLINE std::remove_cv_t<T> __nv_atomic_load_n(T* address, int order, TD_SIMT_SCOPE) {
  return td::simt::nv_atomic(address).load(td::simt::nv_order(order));
}
template <class T>
TD_SIMT_INLINE void __nv_atomic_load(T* address, std::remove_cv_t<T>* value, int order,
                                     TD_SIMT_SCOPE) {
  *value = __nv_atomic_load_n(address, order);
}
template <class T, class V>
TD_SIMT_INLINE void __nv_atomic_store_n(T* address, V value, int order, TD_SIMT_SCOPE) {
  td::simt::nv_atomic(address).store(value, td::simt::nv_order(order));
}
template <class T>
TD_SIMT_INLINE void __nv_atomic_store(T* address, const T* value, int order, TD_SIMT_SCOPE) {
  __nv_atomic_store_n(address, *value, order);
}
template <class T, class V>
TD_SIMT_INLINE T __nv_atomic_exchange_n(T* address, V value, int order, TD_SIMT_SCOPE) {
  return td::simt::nv_atomic(address).exchange(value, td::simt::nv_order(order));
}
template <class T>
TD_SIMT_INLINE void __nv_atomic_exchange(T* address, const T* value, T* old, int order,
                                         TD_SIMT_SCOPE) {
  *old = __nv_atomic_exchange_n(address, *value, order);
}
template <class T, class V>
TD_SIMT_INLINE bool __nv_atomic_compare_exchange_n(T* address, T* expected, V value, bool /*weak*/,
                                                   int success, int /*failure*/, TD_SIMT_SCOPE) {
  return td::simt::nv_atomic(address).compare_exchange_strong(*expected, value,
                                                              td::simt::nv_order(success));
}
template <class T>
TD_SIMT_INLINE bool __nv_atomic_compare_exchange(T* address, T* expected, const T* value, bool weak,
                                                 int success, int failure, TD_SIMT_SCOPE) {
  return __nv_atomic_compare_exchange_n(address, expected, *value, weak, success, failure);
}
#define TD_SIMT_NV_FETCH(name)                                                               \
  template <class T, class V>                                                                \
  TD_SIMT_INLINE T __nv_atomic_fetch_##name(T* address, V value, int order, TD_SIMT_SCOPE) { \
    return td::simt::nv_atomic(address).fetch_##name(value, td::simt::nv_order(order));      \
  }                                                                                          \
  template <class T, class V>                                                                \
  TD_SIMT_INLINE void __nv_atomic_##name(T* address, V value, int order, TD_SIMT_SCOPE) {    \
    __nv_atomic_fetch_##name(address, value, order);                                         \
  }
TD_SIMT_NV_FETCH(add)
TD_SIMT_NV_FETCH(sub)
TD_SIMT_NV_FETCH(min)
TD_SIMT_NV_FETCH(max)
TD_SIMT_NV_FETCH(and)
TD_SIMT_NV_FETCH(or)
TD_SIMT_NV_FETCH(xor)
#undef TD_SIMT_NV_FETCH
#undef TD_SIMT_SCOPE
TD_SIMT_INLINE void __nv_atomic_thread_fence(int order, int = __NV_THREAD_SCOPE_SYSTEM) {
  cuda::atomic_thread_fence(td::simt::nv_order(order));
}
