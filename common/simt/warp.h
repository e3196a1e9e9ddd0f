// The functions that the lanes of a warp call together: barriers, shuffles, votes, matches and
// reductions. Included by simt/kernel.h. The rules are those of the CUDA C++ Programming Guide,
// sections "Warp Vote", "Match", "Reduce" and "Shuffle Functions".
#pragma once

#include "simt/half.h"
#include "simt/language.h"

TD_SIMT_INLINE void __syncwarp(unsigned mask = 0xffffffff) {
  td::simt::warp_call(td::simt::WarpFunction::kSync, mask);
}

/// The lanes that run together now. A snapshot that may have fewer lanes than the branch. Here it
/// has the calling lane alone, so that code that uses it as a mask fails; cooperative groups and
/// the old functions without a mask get those of the branch (active_lanes).
TD_SIMT_INLINE unsigned __activemask() {
  return 1u << ((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32);
}

TD_SIMT_INLINE unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(
      td::simt::warp_call(td::simt::WarpFunction::kBallot, mask, predicate != 0));
}
TD_SIMT_INLINE int __any_sync(unsigned mask, int predicate) {
  return static_cast<int>(td::simt::warp_call(td::simt::WarpFunction::kAny, mask, predicate != 0));
}
TD_SIMT_INLINE int __all_sync(unsigned mask, int predicate) {
  return static_cast<int>(td::simt::warp_call(td::simt::WarpFunction::kAll, mask, predicate != 0));
}

namespace td::simt {

/// A value of 1 to 8 bytes as the 64 bits that a warp exchanges, and back.
///@{
template <class T>
TD_SIMT_INLINE std::uint64_t to_bits(T value) {
  if constexpr (sizeof(T) == 8)
    return same_bits<std::uint64_t>(value);
  else if constexpr (sizeof(T) == 4)
    return same_bits<std::uint32_t>(value);
  else
    return same_bits<std::uint16_t>(value);
}
template <class T>
TD_SIMT_INLINE T from_bits(std::uint64_t bits) {
  if constexpr (sizeof(T) == 8)
    return same_bits<T>(bits);
  else if constexpr (sizeof(T) == 4)
    return same_bits<T>(static_cast<std::uint32_t>(bits));
  else
    return same_bits<T>(static_cast<std::uint16_t>(bits));
}
///@}

template <class T>
TD_SIMT_INLINE T shuffle(WarpFunction function, unsigned mask, T value, int lane, int width) {
  return from_bits<T>(warp_call(function, mask, to_bits(value), lane, width));
}

}  // namespace td::simt

#define TD_SIMT_REMOVED(function) \
  [[deprecated("GPUs since Volta do not have " #function ": use " #function "_sync with a mask")]]
TD_SIMT_REMOVED(__ballot) TD_SIMT_INLINE unsigned __ballot(int predicate) {
  return __ballot_sync(td::simt::active_lanes(), predicate);
}
TD_SIMT_REMOVED(__any) TD_SIMT_INLINE int __any(int predicate) {
  return __any_sync(td::simt::active_lanes(), predicate);
}
TD_SIMT_REMOVED(__all) TD_SIMT_INLINE int __all(int predicate) {
  return __all_sync(td::simt::active_lanes(), predicate);
}
#define TD_SIMT_OLD_SHUFFLE(name, T, Lane)                                          \
  TD_SIMT_REMOVED(name) TD_SIMT_INLINE T name(T value, Lane lane, int width = 32) { \
    return name##_sync(td::simt::active_lanes(), value, lane, width);               \
  }

#define TD_SIMT_SHUFFLES(T)                                                                   \
  TD_SIMT_INLINE T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {            \
    return td::simt::shuffle(td::simt::WarpFunction::kShuffle, mask, value, lane, width);     \
  }                                                                                           \
  TD_SIMT_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {   \
    return td::simt::shuffle(td::simt::WarpFunction::kShuffleUp, mask, value,                 \
                             static_cast<int>(delta), width);                                 \
  }                                                                                           \
  TD_SIMT_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) { \
    return td::simt::shuffle(td::simt::WarpFunction::kShuffleDown, mask, value,               \
                             static_cast<int>(delta), width);                                 \
  }                                                                                           \
  TD_SIMT_INLINE T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {       \
    return td::simt::shuffle(td::simt::WarpFunction::kShuffleXor, mask, value, lanes, width); \
  }                                                                                           \
  TD_SIMT_OLD_SHUFFLE(__shfl, T, int)                                                         \
  TD_SIMT_OLD_SHUFFLE(__shfl_up, T, unsigned)                                                 \
  TD_SIMT_OLD_SHUFFLE(__shfl_down, T, unsigned)                                               \
  TD_SIMT_OLD_SHUFFLE(__shfl_xor, T, int)
#define TD_SIMT_MATCHES(T)                                                                       \
  TD_SIMT_INLINE unsigned __match_any_sync(unsigned mask, T value) {                             \
    return static_cast<unsigned>(                                                                \
        td::simt::warp_call(td::simt::WarpFunction::kMatchAny, mask, td::simt::to_bits(value))); \
  }                                                                                              \
  TD_SIMT_INLINE unsigned __match_all_sync(unsigned mask, T value, int* all_equal) {             \
    const auto lanes = static_cast<unsigned>(                                                    \
        td::simt::warp_call(td::simt::WarpFunction::kMatchAll, mask, td::simt::to_bits(value))); \
    *all_equal = lanes != 0;                                                                     \
    return lanes;                                                                                \
  }
#define TD_SIMT_EXCHANGES(T) TD_SIMT_SHUFFLES(T) TD_SIMT_MATCHES(T)
TD_SIMT_EXCHANGES(int)
TD_SIMT_EXCHANGES(unsigned)
TD_SIMT_EXCHANGES(long)
TD_SIMT_EXCHANGES(unsigned long)
TD_SIMT_EXCHANGES(long long)
TD_SIMT_EXCHANGES(unsigned long long)
TD_SIMT_EXCHANGES(float)
TD_SIMT_EXCHANGES(double)
TD_SIMT_SHUFFLES(__half)
TD_SIMT_SHUFFLES(__nv_bfloat16)
TD_SIMT_SHUFFLES(__half2)
TD_SIMT_SHUFFLES(__nv_bfloat162)
#undef TD_SIMT_EXCHANGES
#undef TD_SIMT_MATCHES
#undef TD_SIMT_SHUFFLES
#undef TD_SIMT_OLD_SHUFFLE
#undef TD_SIMT_REMOVED

#define TD_SIMT_REDUCE(T, name, function)                                                       \
  TD_SIMT_INLINE T __reduce_##name##_sync(unsigned mask, T value) {                             \
    return td::simt::from_bits<T>(                                                              \
        td::simt::warp_call(td::simt::WarpFunction::function, mask, td::simt::to_bits(value))); \
  }
TD_SIMT_REDUCE(int, add, kAddSigned)
TD_SIMT_REDUCE(int, min, kMinSigned)
TD_SIMT_REDUCE(int, max, kMaxSigned)
TD_SIMT_REDUCE(unsigned, add, kAddUnsigned)
TD_SIMT_REDUCE(unsigned, min, kMinUnsigned)
TD_SIMT_REDUCE(unsigned, max, kMaxUnsigned)
TD_SIMT_REDUCE(unsigned, and, kAnd)
TD_SIMT_REDUCE(unsigned, or, kOr)
TD_SIMT_REDUCE(unsigned, xor, kXor)
#undef TD_SIMT_REDUCE
