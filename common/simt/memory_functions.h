// Loads and stores with cache hints, and the address spaces of pointers. Included by simt/kernel.h.
#pragma once

#include <cstddef>
#include <type_traits>

#include "simt/device_calls.h"

// The machine has no caches, so these are plain loads and stores.
#define TD_SIMT_LOAD(name)                  \
  template <class T>                        \
  TD_SIMT_INLINE T name(const T* address) { \
    return *address;                        \
  }
#define TD_SIMT_STORE(name)                                             \
  template <class T>                                                    \
  TD_SIMT_INLINE void name(T* address, std::type_identity_t<T> value) { \
    *address = value;                                                   \
  }
TD_SIMT_LOAD(__ldg)
TD_SIMT_LOAD(__ldca)
TD_SIMT_LOAD(__ldcg)
TD_SIMT_LOAD(__ldcs)
TD_SIMT_LOAD(__ldcv)
TD_SIMT_LOAD(__ldlu)
TD_SIMT_STORE(__stcg)
TD_SIMT_STORE(__stcs)
TD_SIMT_STORE(__stwb)
TD_SIMT_STORE(__stwt)
#undef TD_SIMT_STORE
#undef TD_SIMT_LOAD

#define TD_SIMT_IS_SPACE(name, space)                                                   \
  TD_SIMT_INLINE unsigned name(const void* address) {                                   \
    return td::simt::address_space(address) == td::simt::AddressSpace::space ? 1u : 0u; \
  }
TD_SIMT_IS_SPACE(__isGlobal, kGlobal)
TD_SIMT_IS_SPACE(__isShared, kShared)
TD_SIMT_IS_SPACE(__isConstant, kConstant)
TD_SIMT_IS_SPACE(__isLocal, kLocal)
#undef TD_SIMT_IS_SPACE
/// Parameters of a kernel are local copies here.
TD_SIMT_INLINE unsigned __isGridConstant(const void*) { return 0; }

/// An address of shared memory is the distance from its begin, which fits into 32 bits.
TD_SIMT_INLINE std::size_t __cvta_generic_to_shared(const void* address) {
  return static_cast<std::size_t>(static_cast<const char*>(address) - td::simt::shared_window());
}
TD_SIMT_INLINE void* __cvta_shared_to_generic(std::size_t address) {
  return td::simt::shared_window() + address;
}
// The other spaces have generic addresses.
#define TD_SIMT_CONVERSIONS(space)                                            \
  TD_SIMT_INLINE std::size_t __cvta_generic_to_##space(const void* address) { \
    return reinterpret_cast<std::size_t>(address);                            \
  }                                                                           \
  TD_SIMT_INLINE void* __cvta_##space##_to_generic(std::size_t address) {     \
    return reinterpret_cast<void*>(address);                                  \
  }
TD_SIMT_CONVERSIONS(global)
TD_SIMT_CONVERSIONS(constant)
TD_SIMT_CONVERSIONS(local)
#undef TD_SIMT_CONVERSIONS
