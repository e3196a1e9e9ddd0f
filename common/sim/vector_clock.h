// Which work comes before a point. For sim, its race finder and the CUDA runtime on sim.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace td::sim {

/// A vector clock: the work that comes before a point, as one count of finished work per stream (C.
/// J. Fidge, 1988; F. Mattern, 1989). For the race finder the host, each stream and each event have
/// one, in a capture each branch and each event. Counts only grow.
class VectorClock {
 public:
  /// Returns how much of the stream's work comes before.
  std::uint64_t operator[](std::size_t stream) const {
    return stream < counts_.size() ? counts_[stream] : 0;
  }
  /// Orders this after the stream's first `count` pieces of work.
  void raise(std::size_t stream, std::uint64_t count) {
    if (stream >= counts_.size()) counts_.resize(stream + 1);
    counts_[stream] = std::max(counts_[stream], count);
  }
  /// Orders this after everything that `other` comes after.
  void join(const VectorClock& other) {
    for (std::size_t i = 0; i < other.counts_.size(); ++i) raise(i, other.counts_[i]);
  }

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace td::sim
