// How cuda divides the rows of a running sum or product among threads. scan.cpp uses it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace td {

/// Elements that a lane of a warp has in flight, and warps that work on one row at most.
constexpr int kScanItems = 4, kScanWarps = 16;

/// The warps of the block that scans one row of `n` elements `stride` apart, each in a chunk of
/// 32 * kScanItems elements. 0: one thread per row, where adjacent threads read adjacent elements
/// and the rows are many, or where a row is too short for a warp.
inline int scan_warps(std::int64_t rows, std::int64_t n, std::int64_t stride) {
  if (n <= 16 || (stride >= 32 && rows >= 32768)) return 0;
  const std::int64_t chunk = 32 * kScanItems;
  return static_cast<int>(std::min<std::int64_t>((n + chunk - 1) / chunk, kScanWarps));
}

}  // namespace td
