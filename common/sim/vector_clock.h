// A vector clock: what something comes after, as one count of finished work for every stream (C. J.
// Fidge, 1988; F. Mattern, 1989). The race finder keeps one for the host, each stream and each
// event. Invariant: counts only grow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace td::sim {

class VectorClock {
 public:
  /// How much of the stream's work comes before.
  std::uint64_t operator[](std::size_t stream) const {
    return stream < counts_.size() ? counts_[stream] : 0;
  }
  /// From now on also after the stream's first `count` pieces of work.
  void raise(std::size_t stream, std::uint64_t count) {
    if (stream >= counts_.size()) counts_.resize(stream + 1);
    counts_[stream] = std::max(counts_[stream], count);
  }
  /// From now on also after all that `other` comes after.
  void join(const VectorClock& other) {
    for (std::size_t i = 0; i < other.counts_.size(); ++i) raise(i, other.counts_[i]);
  }

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace td::sim
