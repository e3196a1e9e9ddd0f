// How cuda's sort splits rows into tiles, pieces that one block sorts in shared memory. sort.cpp
// uses it. Invariant: every element is in one tile, and a tile holds whole rows or a part of one
// row.
#pragma once

#include <algorithm>
#include <cstdint>

#include "td/tensor/dtype.h"

namespace td {

/// The tiles of `rows` rows of `n` elements; n > 0.
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
