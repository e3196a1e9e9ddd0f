// Lanes of a warp by number and rank, for cooperative_groups.h.
#pragma once

#include "simt/warp.h"

namespace td::simt::lanes {

TD_SIMT_INLINE unsigned rank_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
TD_SIMT_INLINE unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
TD_SIMT_INLINE unsigned own() { return rank_in_block() % 32; }
TD_SIMT_INLINE unsigned below(unsigned lane) { return (1u << lane) - 1; }
/// The lanes of `mask` as the first bits, for results that count ranks.
TD_SIMT_INLINE unsigned ranks_of(unsigned lanes, unsigned mask) {
  unsigned ranks = 0;
  for (unsigned rank = 0; mask; mask &= mask - 1, ++rank)
    if (lanes & (mask & -mask)) ranks |= 1u << rank;
  return ranks;
}
/// Exchanges a value of any size.
template <class T>
TD_SIMT_INLINE T shuffle(td::simt::WarpFunction function, unsigned mask, const T& value, int lane,
                         int width) {
  std::uint64_t words[(sizeof(T) + 7) / 8] = {};
  __builtin_memcpy(words, static_cast<const void*>(&value), sizeof(T));
  for (std::uint64_t& word : words) word = td::simt::warp_call(function, mask, word, lane, width);
  T result = value;
  __builtin_memcpy(static_cast<void*>(&result), words, sizeof(T));
  return result;
}

}  // namespace td::simt::lanes
