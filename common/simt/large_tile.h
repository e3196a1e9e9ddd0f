// Tiles of more than a warp. Included by cooperative_groups.h.
//
// Invariant: the arrivals of a tile only grow, so that a barrier is over when they have reached the
// next multiple of its threads.
#pragma once

#include "simt/cooperative_groups.h"

namespace cooperative_groups {

/// A tile of several warps: 64 to 512 threads. Its barrier is in block_tile_memory.
template <unsigned count, class Parent>
requires(count > 32) class thread_block_tile<count, Parent> {
  static_assert(count <= 512 && (count & (count - 1)) == 0, "a tile has up to 512 threads");

 public:
  TD_SIMT_INLINE explicit thread_block_tile(const thread_block& block)
      : values_(block.values_ + meta_group_rank() * (count / 32)),
        arrivals_(block.arrivals_ + meta_group_rank()) {
    if (!block.arrivals_) td::simt::trap("tiled_partition without a block_tile_memory");
  }
  /// The threads of the tile, this thread's rank among them, and the tiles of the block.
  ///@{
  TD_SIMT_INLINE static constexpr unsigned size() { return count; }
  TD_SIMT_INLINE static constexpr unsigned num_threads() { return count; }
  TD_SIMT_INLINE static unsigned thread_rank() { return details::rank_in_block() % count; }
  TD_SIMT_INLINE static unsigned meta_group_rank() { return details::rank_in_block() / count; }
  TD_SIMT_INLINE static unsigned meta_group_size() { return details::threads_of_block() / count; }
  ///@}
  /// Waits until all threads of the tile have called it.
  TD_SIMT_INLINE void sync() const {
    td::simt::fence();
    const unsigned before = __atomic_fetch_add(arrivals_, 1, __ATOMIC_RELAXED);
    const unsigned all = (before / count + 1) * count;
    while (static_cast<int>(__atomic_load_n(arrivals_, __ATOMIC_RELAXED) - all) < 0)
      td::simt::wait_for_others();
    td::simt::fence();
  }
  /// A value per warp, for reduce().
  TD_SIMT_INLINE unsigned long long* values() const { return values_; }

 private:
  unsigned long long* values_;
  unsigned* arrivals_;
};

}  // namespace cooperative_groups
