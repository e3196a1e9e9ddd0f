// What orders two accesses of a launch: program order, __syncthreads, __syncwarp, and a fence
// followed by an atomic that another thread's atomic on the same address comes after (CUDA C++
// Programming Guide, "Memory Fence Functions"). The race finder uses it.
//
// Barriers include all threads of a block, so numbers replace vector clocks. A moment is one thread
// between two barriers; the moments of all threads and all barriers of the launch are numbered.
// Invariant: moments of a later block, or after a later barrier of a block, are larger.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simt/observer.h"

namespace td::simt {

/// When an access happened, and how.
struct Stamp {
  std::uint32_t moment = 0;   ///< 0: no access.
  std::uint16_t segment = 0;  ///< Calls of __syncwarp by the thread since the last __syncthreads.
  std::uint16_t site : 12 = 0;
  std::uint16_t bytes : 4 = 0;  ///< Bit i: byte i of the cell.
};

class HappensBefore {
 public:
  /// Returns false where the moments have to start again, so that earlier stamps mean nothing.
  bool begin_launch(const LaunchInfo& launch);
  void begin_block(uint3 block);
  void barrier();
  /// Orders all that the launch has done so far.
  void grid_barrier() { launch_ = next_; }
  void warp_barrier(std::uint32_t warp, std::uint32_t mask);
  void fence(const ThreadInfo& thread);
  /// A write to global memory: an earlier fence does not order a write that follows it.
  void global_write(const ThreadInfo& thread) {
    if (fences_) fenced_[thread.linear] = 0;
  }
  /// Whether the launch has executed one so far.
  bool has_fences() const { return fences_; }
  /// An atomic operation or a volatile access, after it was checked itself.
  void atomic(const ThreadInfo& thread, std::uintptr_t address, bool writes);

  Stamp now(const ThreadInfo& thread) const {
    return {epoch_ + thread.linear, warps_[thread.warp()].own[thread.lane()]};
  }
  /// Whether the earlier access comes before `thread`'s next one in every schedule. It must not be
  /// older than first_of_launch().
  bool ordered(const Stamp& earlier, const ThreadInfo& thread) const {
    if (earlier.moment == epoch_ + thread.linear) return true;
    if (earlier.moment < epoch_ && earlier.moment >= block_) return true;
    return ordered_by_warp(earlier, thread) || ordered_by_atomic(earlier.moment, thread);
  }
  bool in_this_block(const Stamp& stamp) const { return stamp.moment >= block_; }
  bool in_this_epoch(const Stamp& stamp) const { return stamp.moment >= epoch_; }
  std::uint32_t first_of_launch() const { return launch_; }
  std::uint32_t first_of_block() const { return block_; }
  /// The thread and block of a stamp of this launch.
  uint3 thread_of(const Stamp& stamp) const;
  uint3 block_of(const Stamp& stamp) const;
  std::uint32_t linear_of(const Stamp& stamp) const;

 private:
  /// For the lanes of a warp since the last __syncthreads: how many segments each has ended, and
  /// how many of each other lane it knows to be over.
  struct Warp {
    std::uint16_t own[32] = {};
    std::uint16_t known[32][32] = {};
  };
  struct Block {
    std::uint32_t first;  // moment
    uint3 index;
  };
  /// A fenced atomic orders the block's moments from `begin` to `end`, and the thread's `own`.
  struct Release {
    std::uint32_t begin, end, own;
  };
  /// A thread's atomic came after `count` releases.
  struct Acquire {
    const std::vector<Release>* releases;
    std::size_t count;
    Stamp at;
  };

  void acquire(const Acquire& acquire);
  bool ordered_by_warp(const Stamp& earlier, const ThreadInfo& thread) const;
  bool ordered_by_atomic(std::uint32_t moment, const ThreadInfo& thread) const;
  static bool released(const Acquire& acquire, std::uint32_t moment);
  const Block& find_block(const Stamp& stamp) const;

  std::uint32_t threads_ = 0;                         // per block
  dim3 shape_;                                        // of a block
  std::uint32_t next_ = 1;                            // moment that no block has yet
  std::uint32_t launch_ = 0, block_ = 0, epoch_ = 0;  // the first moment of each
  std::vector<Block> blocks_;
  std::vector<Warp> warps_;
  bool warps_used_ = false;

  bool fences_ = false;                // since the launch began
  std::vector<std::uint32_t> fenced_;  // per thread: the epoch of its fence; 0: none that holds
  std::uint32_t fenced_end_ = 0;       // moments of the block below it were fenced before a barrier
  std::unordered_map<std::uintptr_t, std::vector<Release>> releases_;  // by address
  std::vector<Acquire> acquires_;                                      // of this block
};

}  // namespace td::simt
