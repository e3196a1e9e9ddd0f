// Cooperative groups: blocks, grids, tiles of a warp and the lanes of a branch. What
// <cooperative_groups.h> includes for kernels on sim. The rules are those of the CUDA C++
// Programming Guide, "Cooperative Groups".
//
// Invariant: a group of lanes is the mask of its lanes, and its functions are those of warp.h.
#pragma once

#include <type_traits>

#include "simt/async_copy.h"
#include "simt/integers.h"
#include "simt/lanes.h"

namespace cooperative_groups {

namespace details = td::simt::lanes;

/// Any group: a block, a grid or some lanes of a warp.
class thread_group {
 public:
  TD_SIMT_INLINE unsigned long long size() const {
    return is_block_ ? details::threads_of_block() : unsigned(__popc(mask_));
  }
  TD_SIMT_INLINE unsigned long long num_threads() const { return size(); }
  TD_SIMT_INLINE unsigned long long thread_rank() const {
    return is_block_ ? details::rank_in_block()
                     : unsigned(__popc(mask_ & details::below(details::own())));
  }
  TD_SIMT_INLINE void sync() const {
    if (is_block_)
      __syncthreads();
    else
      __syncwarp(mask_);
  }

 protected:
  TD_SIMT_INLINE explicit thread_group(bool is_block, unsigned mask)
      : is_block_(is_block), mask_(mask) {}
  bool is_block_;
  unsigned mask_;
  friend thread_group tiled_partition(const thread_group&, unsigned);
};

/// Shared memory for tiles of more than a warp in blocks of up to `threads` threads.
template <unsigned threads>
struct block_tile_memory {
  unsigned long long values[(threads + 31) / 32];  ///< of warps
  unsigned arrivals[(threads + 63) / 64];          ///< so far, of tiles
};

/// All threads of the block.
class thread_block : public thread_group {
 public:
  struct arrival_token {};
  TD_SIMT_INLINE static void sync() { __syncthreads(); }
  /// The barrier is at barrier_wait, so that it may find fewer races than there are.
  ///@{
  TD_SIMT_INLINE arrival_token barrier_arrive() const { return {}; }
  TD_SIMT_INLINE void barrier_wait(arrival_token&&) const { __syncthreads(); }
  ///@}
  TD_SIMT_INLINE static unsigned thread_rank() { return details::rank_in_block(); }
  TD_SIMT_INLINE static unsigned size() { return details::threads_of_block(); }
  TD_SIMT_INLINE static unsigned num_threads() { return size(); }
  TD_SIMT_INLINE static dim3 group_index() { return blockIdx; }
  TD_SIMT_INLINE static dim3 thread_index() { return threadIdx; }
  TD_SIMT_INLINE static dim3 dim_threads() { return blockDim; }
  TD_SIMT_INLINE static dim3 group_dim() { return blockDim; }

 private:
  TD_SIMT_INLINE thread_block() : thread_group(true, 0) {}
  friend thread_block this_thread_block();
  template <unsigned threads>
  friend thread_block this_thread_block(block_tile_memory<threads>& memory);
  template <unsigned count, class Parent>
  friend class thread_block_tile;
  unsigned long long* values_ = nullptr;  // of block_tile_memory
  unsigned* arrivals_ = nullptr;
};
TD_SIMT_INLINE thread_block this_thread_block() { return {}; }
/// All threads of the block call it.
template <unsigned threads>
TD_SIMT_INLINE thread_block this_thread_block(block_tile_memory<threads>& memory) {
  thread_block block;
  block.values_ = memory.values;
  block.arrivals_ = memory.arrivals;
  for (unsigned i = details::rank_in_block(); i < (threads + 63) / 64;
       i += details::threads_of_block())
    memory.arrivals[i] = 0;
  __syncthreads();
  return block;
}

/// All threads of the launch.
class grid_group {
 public:
  struct arrival_token {};
  TD_SIMT_INLINE static bool is_valid() { return td::simt::is_cooperative(); }
  TD_SIMT_INLINE static void sync() { td::simt::grid_barrier(); }
  TD_SIMT_INLINE arrival_token barrier_arrive() const { return {}; }
  TD_SIMT_INLINE void barrier_wait(arrival_token&&) const { td::simt::grid_barrier(); }
  TD_SIMT_INLINE static unsigned long long block_rank() {
    return blockIdx.x + gridDim.x * (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z);
  }
  TD_SIMT_INLINE static unsigned long long num_blocks() {
    return std::uint64_t{gridDim.x} * gridDim.y * gridDim.z;
  }
  TD_SIMT_INLINE static unsigned long long thread_rank() {
    return block_rank() * details::threads_of_block() + details::rank_in_block();
  }
  TD_SIMT_INLINE static unsigned long long size() {
    return num_blocks() * details::threads_of_block();
  }
  TD_SIMT_INLINE static unsigned long long num_threads() { return size(); }
  TD_SIMT_INLINE static dim3 block_index() { return blockIdx; }
  TD_SIMT_INLINE static dim3 thread_index() { return threadIdx; }
  TD_SIMT_INLINE static dim3 dim_blocks() { return gridDim; }
  TD_SIMT_INLINE static dim3 group_dim() { return gridDim; }

 private:
  TD_SIMT_INLINE grid_group() {}
  friend grid_group this_grid();
};
TD_SIMT_INLINE grid_group this_grid() { return {}; }

template <class T = void>
void this_cluster() {
  static_assert(sizeof(T*) == 0, "clusters of thread blocks need a GPU");
}
template <class T = void>
void this_multi_grid() {
  static_assert(sizeof(T*) == 0, "CUDA 13 has no groups of several devices");
}

/// Some lanes of a warp. Ranks count them.
class coalesced_group : public thread_group {
 public:
  TD_SIMT_INLINE unsigned size() const { return unsigned(__popc(mask_)); }
  TD_SIMT_INLINE unsigned num_threads() const { return size(); }
  TD_SIMT_INLINE unsigned thread_rank() const {
    return unsigned(__popc(mask_ & details::below(details::own())));
  }
  TD_SIMT_INLINE unsigned meta_group_rank() const { return meta_rank_; }
  TD_SIMT_INLINE unsigned meta_group_size() const { return meta_size_; }
  TD_SIMT_INLINE void sync() const { __syncwarp(mask_); }
  TD_SIMT_INLINE int any(int predicate) const { return __any_sync(mask_, predicate); }
  TD_SIMT_INLINE int all(int predicate) const { return __all_sync(mask_, predicate); }
  TD_SIMT_INLINE unsigned ballot(int predicate) const {
    return details::ranks_of(__ballot_sync(mask_, predicate), mask_);
  }
  template <class T>
  TD_SIMT_INLINE unsigned match_any(T value) const {
    return details::ranks_of(__match_any_sync(mask_, value), mask_);
  }
  template <class T>
  TD_SIMT_INLINE unsigned match_all(T value, int& all_equal) const {
    return details::ranks_of(__match_all_sync(mask_, value, &all_equal), mask_);
  }
  template <class T>
  TD_SIMT_INLINE T shfl(T value, unsigned rank) const {
    return from_rank(value, rank % size());
  }
  template <class T>
  TD_SIMT_INLINE T shfl_up(T value, unsigned delta) const {
    return from_rank(value, thread_rank() < delta ? thread_rank() : thread_rank() - delta);
  }
  template <class T>
  TD_SIMT_INLINE T shfl_down(T value, unsigned delta) const {
    return from_rank(value, thread_rank() + delta < size() ? thread_rank() + delta : thread_rank());
  }

 private:
  TD_SIMT_INLINE explicit coalesced_group(unsigned mask, unsigned meta_rank = 0,
                                          unsigned meta_size = 1)
      : thread_group(false, mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
  template <class T>
  TD_SIMT_INLINE T from_rank(const T& value, unsigned rank) const {
    return details::shuffle(td::simt::WarpFunction::kShuffle, mask_, value,
                            static_cast<int>(__fns(mask_, 0, static_cast<int>(rank) + 1)), 32);
  }
  /// Those of the group that are in `lanes`; `first` names the groups to which others belong.
  TD_SIMT_INLINE coalesced_group part(unsigned lanes, unsigned firsts) const {
    const unsigned first = lanes & -lanes;
    return coalesced_group(lanes, unsigned(__popc(firsts & (first - 1))), unsigned(__popc(firsts)));
  }
  unsigned meta_rank_, meta_size_;

  template <unsigned, class>
  friend class thread_block_tile;
  friend coalesced_group coalesced_threads();
  friend coalesced_group binary_partition(const coalesced_group&, bool);
  template <class Label>
  friend coalesced_group labeled_partition(const coalesced_group&, Label);
  friend coalesced_group tiled_partition(const coalesced_group&, unsigned);
};
/// The lanes that run together here.
TD_SIMT_INLINE coalesced_group coalesced_threads() {
  return coalesced_group(td::simt::active_lanes());
}

/// `count` lanes of a warp that are neighbours.
template <unsigned count, class Parent = void>
class thread_block_tile : public thread_group {
  static_assert(count > 0 && (count & (count - 1)) == 0, "the threads of a tile are a power of 2");

 public:
  TD_SIMT_INLINE thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : thread_group(false, own_mask()), meta_rank_(meta_rank), meta_size_(meta_size) {}
  /// A tile whatever it is a part of.
  template <class Other>
  TD_SIMT_INLINE thread_block_tile(const thread_block_tile<count, Other>& tile)
      : thread_block_tile(tile.meta_group_rank(), tile.meta_group_size()) {}
  TD_SIMT_INLINE operator coalesced_group() const {
    return coalesced_group(mask_, meta_rank_, meta_size_);
  }

  TD_SIMT_INLINE static constexpr unsigned size() { return count; }
  TD_SIMT_INLINE static constexpr unsigned num_threads() { return count; }
  TD_SIMT_INLINE static unsigned thread_rank() { return details::own() % count; }
  TD_SIMT_INLINE unsigned meta_group_rank() const { return meta_rank_; }
  TD_SIMT_INLINE unsigned meta_group_size() const { return meta_size_; }
  TD_SIMT_INLINE void sync() const { __syncwarp(mask_); }
  TD_SIMT_INLINE int any(int predicate) const { return __any_sync(mask_, predicate); }
  TD_SIMT_INLINE int all(int predicate) const { return __all_sync(mask_, predicate); }
  TD_SIMT_INLINE unsigned ballot(int predicate) const {
    return __ballot_sync(mask_, predicate) >> first();
  }
  template <class T>
  TD_SIMT_INLINE unsigned match_any(T value) const {
    return __match_any_sync(mask_, value) >> first();
  }
  template <class T>
  TD_SIMT_INLINE unsigned match_all(T value, int& all_equal) const {
    return __match_all_sync(mask_, value, &all_equal) >> first();
  }
#define TD_SIMT_SHUFFLE(name, function, Lane)                                          \
  template <class T>                                                                   \
  TD_SIMT_INLINE T name(T value, Lane lane) const {                                    \
    return details::shuffle(td::simt::WarpFunction::function, mask_, value, int(lane), \
                            int(count));                                               \
  }
  TD_SIMT_SHUFFLE(shfl, kShuffle, int)
  TD_SIMT_SHUFFLE(shfl_up, kShuffleUp, unsigned)
  TD_SIMT_SHUFFLE(shfl_down, kShuffleDown, unsigned)
  TD_SIMT_SHUFFLE(shfl_xor, kShuffleXor, unsigned)
#undef TD_SIMT_SHUFFLE

 private:
  TD_SIMT_INLINE static unsigned first() { return details::own() & ~(count - 1); }
  TD_SIMT_INLINE static unsigned own_mask() {
    return (count == 32 ? ~0u : (1u << count % 32) - 1) << first();
  }
  unsigned meta_rank_, meta_size_;
};

template <unsigned count, class Parent>
TD_SIMT_INLINE thread_block_tile<count, Parent> tiled_partition(const Parent& parent) {
  if constexpr (count > 32)
    return thread_block_tile<count, Parent>(parent);
  else
    return {static_cast<unsigned>(parent.thread_rank() / count),
            static_cast<unsigned>((parent.size() + count - 1) / count)};
}
/// Groups of `count` neighbours by rank.
///@{
TD_SIMT_INLINE coalesced_group tiled_partition(const coalesced_group& parent, unsigned count) {
  unsigned firsts = 0, own = 0, rank = 0;
  for (unsigned left = parent.mask_; left; left &= left - 1, ++rank) {
    if (rank % count == 0) firsts |= left & -left;
    if (rank / count == parent.thread_rank() / count) own |= left & -left;
  }
  return parent.part(own, firsts);
}
TD_SIMT_INLINE thread_group tiled_partition(const thread_group& parent, unsigned count) {
  const unsigned all = parent.is_block_ ? ~0u : parent.mask_;
  const unsigned own_rank = unsigned(__popc(all & details::below(details::own())));
  unsigned own = 0, rank = 0;
  for (unsigned left = all; left; left &= left - 1, ++rank)
    if (rank / count == own_rank / count) own |= left & -left;
  return thread_group(false, own);
}
///@}
/// The lanes of a group that have the same label, or predicate.
///@{
TD_SIMT_INLINE coalesced_group binary_partition(const coalesced_group& group, bool predicate) {
  const unsigned trues = __ballot_sync(group.mask_, predicate);
  return coalesced_group(predicate ? trues : group.mask_ & ~trues, predicate ? 1 : 0, 2);
}
template <class Label>
TD_SIMT_INLINE coalesced_group labeled_partition(const coalesced_group& group, Label label) {
  if constexpr (std::is_same_v<Label, bool>) return binary_partition(group, label);
  const unsigned own = __match_any_sync(group.mask_, (unsigned long long)(label));
  return group.part(own, __ballot_sync(group.mask_, (own & details::below(details::own())) == 0));
}
///@}

template <class Group>
TD_SIMT_INLINE void sync(const Group& group) {
  group.sync();
}
template <class Group>
TD_SIMT_INLINE auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
TD_SIMT_INLINE auto group_size(const Group& group) {
  return group.size();
}
/// Calls `function` in one thread of the group.
template <class Group, class Function, class... Args>
TD_SIMT_INLINE void invoke_one(const Group& group, Function&& function, Args&&... args) {
  if (group.thread_rank() == 0) function(static_cast<Args&&>(args)...);
}

}  // namespace cooperative_groups

#include "simt/large_tile.h"
