// How cuda divides the rows of a scan or a sort among blocks and warps. scan.cu and sort.cu use it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "td/tensor/dtype.h"

namespace td {

/// Elements that a lane of a warp has in flight, and warps that work on one row at most.
constexpr int kScanItems = 4, kScanWarps = 16;

/// The warps of the block that scans one row of `n` elements, each in a chunk of 32 * kScanItems.
inline int scan_warps(std::int64_t n) {
  const std::int64_t chunk = 32 * kScanItems;
  return static_cast<int>(std::min<std::int64_t>((n + chunk - 1) / chunk, kScanWarps));
}

/// The tiles, pieces that one block sorts in shared memory, of `rows` rows of `n` > 0 elements.
/// Invariant: every element is in one tile; a tile holds whole rows or a part of one row.
struct SortTiles {
  static constexpr int kMost = 1024;  ///< elements of a tile
  std::int64_t span;                  ///< elements of what is split: a long row, or all short ones
  std::int64_t tile;                  ///< elements of a tile, unless it is the last one of a span
  std::int64_t per_span, count;       ///< tiles

  SortTiles(std::int64_t rows, std::int64_t n) {
    const bool together = n <= kMost;
    span = together ? rows * n : n;
    tile = together ? kMost / n * n : kMost;
    per_span = (span + tile - 1) / tile;
    count = together ? per_span : rows * per_span;
  }
  TD_HD std::int64_t begin(std::int64_t t) const {
    return t / per_span * span + t % per_span * tile;
  }
  TD_HD int size(std::int64_t t) const {
    const std::int64_t left = span - t % per_span * tile;
    return static_cast<int>(left < tile ? left : tile);
  }
};

}  // namespace td
