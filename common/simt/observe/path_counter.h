// Measures divergence from the basic blocks that lanes run: a warp executes a block as often as the
// lane that runs it most, and lanes that run it less are idle meanwhile. Called by Observers if the
// kernel was compiled to report its basic blocks.
//
// Invariant: efficiency() is between 0 and 100, and 0 only if no basic block was reported.
#pragma once

#include <unordered_map>
#include <vector>

#include "simt/observer.h"

namespace td::simt {

class PathCounter {
 public:
  void begin_launch(const LaunchInfo& launch) {
    threads_ = launch.block.x * launch.block.y * launch.block.z;
    runs_.clear();
    last_runs_ = nullptr;
    by_lanes_ = 0;
    by_warps_ = 0;
  }
  void basic_block(const ThreadInfo& thread, std::uintptr_t block) {
    if (block != last_block_ || !last_runs_) {
      std::vector<std::uint32_t>& runs = runs_[block];
      runs.resize(threads_);
      last_block_ = block;
      last_runs_ = runs.data();
    }
    ++last_runs_[thread.linear];
  }
  /// Counts what ran since the last flush; called at each __syncthreads and at the end of a block.
  void flush();
  /// Percent of the lanes that were active, over all basic blocks that warps ran.
  double efficiency() const {
    return by_warps_ == 0 ? 0 : 100.0 * static_cast<double>(by_lanes_) / (32.0 * by_warps_);
  }

 private:
  std::uint32_t threads_ = 0;
  std::unordered_map<std::uintptr_t, std::vector<std::uint32_t>> runs_;  // per thread
  std::uintptr_t last_block_ = 0;
  std::uint32_t* last_runs_ = nullptr;
  std::size_t by_lanes_ = 0;
  double by_warps_ = 0;
};

}  // namespace td::simt
