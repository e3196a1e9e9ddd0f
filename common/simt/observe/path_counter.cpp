// The sums over warps. Invariant: a flush leaves all counts at 0.
#include "simt/observe/path_counter.h"

#include <algorithm>

namespace td::simt {

void PathCounter::flush() {
  for (auto& [block, runs] : runs_) {
    for (std::uint32_t first = 0; first < threads_; first += 32) {
      const std::uint32_t end = std::min(first + 32, threads_);
      std::uint32_t most = 0;
      for (std::uint32_t i = first; i < end; ++i) {
        most = std::max(most, runs[i]);
        by_lanes_ += runs[i];
      }
      by_warps_ += most;
    }
    std::fill(runs.begin(), runs.end(), 0);
  }
}

}  // namespace td::simt
