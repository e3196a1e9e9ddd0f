// Where random operations take their numbers from, also in a graph. ops/random/random.cpp calls it.
// Invariant: a replay draws the numbers that the same step would draw without a graph.
#pragma once

#include "td/kernels/kernels.h"

namespace td {

/// A piece of the random stream for an operation on `device`, until the end of the scope. While the
/// device's work is captured nothing is drawn: the graph counts what it needs, and each replay
/// takes as much from default_generator() and tells the kernels where it begins.
class RandomPiece {
 public:
  RandomPiece(std::uint64_t blocks, Device device);
  ~RandomPiece();
  RandomPiece(const RandomPiece&) = delete;
  RandomPiece& operator=(const RandomPiece&) = delete;
  /// Where the kernel finds its numbers.
  kernels::RandomStream stream() const { return stream_; }

 private:
  kernels::RandomStream stream_;
};

}  // namespace td
