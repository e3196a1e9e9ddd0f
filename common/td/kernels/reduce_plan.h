// How a GPU spreads a reduction over blocks and threads. A block has a tile of `width` results, and
// `members` threads for each of them. Where that makes too few blocks to keep a GPU busy, every
// group is cut into pieces, and a second launch combines their partial results.
// Called by reduce_cuda.h. Invariant: a plan depends on the shape alone, not on the GPU, so equal
// inputs give equal bits everywhere.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "td/kernels/device_code.h"
#include "td/kernels/geometry.h"

namespace td {

/// Threads of a block.
constexpr int kReduceThreads = 256;
/// Elements that a thread loads before it adds the first. A load takes more than half a
/// microsecond, and a GPU with one in flight per thread waits most of the time.
constexpr int kReduceLoads = 8;
/// Blocks that keep a large GPU busy: four for each of 132 multiprocessors.
constexpr std::int64_t kReduceBlocks = 528;
/// A piece has at least this many rounds of loads: fewer take less time than a second launch.
constexpr std::int64_t kReduceRounds = 4;

struct ReducePlan {
  std::int64_t results, count;  ///< groups, and the elements of each
  bool columns;                 ///< neighboring threads have neighboring results, or elements
  int members;                  ///< threads that combine one result; a power of two
  int width;                    ///< results of a block
  std::int64_t pieces, length;  ///< of a group: piece p is [p * length, (p + 1) * length)

  /// Blocks side by side: each has all `width` results of its tile, for one piece.
  std::int64_t tiles() const { return (results + width - 1) / width; }
};

/// @param neighbors results that are contiguous in memory where elements of a group are not; else 1
inline ReducePlan plan_blocks(std::int64_t results, std::int64_t count, std::int64_t neighbors) {
  const auto power = [](std::int64_t n) {
    return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(n)));
  };
  // Each thread has a round of loads, and 32 neighboring threads read neighboring elements.
  const int most = kReduceThreads / power(std::clamp<std::int64_t>(neighbors, 1, 32));
  const std::int64_t useful = (count + kReduceLoads - 1) / kReduceLoads;
  int members = power(std::clamp<std::int64_t>(useful, 1, most));
  // Fewer threads with several rounds take fewer steps to join, where enough blocks are left.
  while (members > 1 && results / (2 * kReduceThreads / members) >= kReduceBlocks &&
         2 * count <= std::int64_t(members) * kReduceLoads * kReduceRounds)
    members /= 2;
  while (members > 1 && results / (kReduceThreads / members) >= 0x7fffffff) members /= 2;

  ReducePlan p{results, count, neighbors > 1, members, kReduceThreads / members, 1, count};
  const std::int64_t round = std::int64_t(members) * kReduceLoads;
  const std::int64_t cut = std::min(kReduceBlocks / std::max<std::int64_t>(1, p.tiles()),
                                    count / (kReduceRounds * round));
  if (cut > 1) {
    p.length = (count + cut * round - 1) / (cut * round) * round;
    p.pieces = (count + p.length - 1) / p.length;
  }
  return p;
}

inline ReducePlan plan_blocks(const ReduceShape& s) {
  return plan_blocks(s.kept.count, s.reduced.count,
                     is_by_columns(s) ? s.kept.sizes[s.kept.dims - 1] : 1);
}

/// The second launch of a plan in pieces: as many groups, whose elements are the pieces. Four
/// results side by side already fill a sector of memory.
inline ReducePlan plan_join(const ReducePlan& first) {
  ReducePlan p = plan_blocks(first.results, first.pieces, std::min<std::int64_t>(first.results, 4));
  p.pieces = 1;
  p.length = p.count;
  return p;
}

/// Memory for a partial result of every piece; undefined where a reduction needs none.
template <class WideAcc>
Tensor room_for_pieces(Device device, const ReduceShape& s) {
  if (!device.is_cuda()) return {};
  const ReducePlan plan = plan_blocks(s);
  if (plan.pieces == 1) return {};
  return empty_on({static_cast<std::int64_t>(sizeof(WideAcc)) * plan.pieces * plan.results}, kByte,
                  device);
}

}  // namespace td
