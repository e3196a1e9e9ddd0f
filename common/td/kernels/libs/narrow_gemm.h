// Products of 16-bit matrices that no library reads: tiles of both factors are widened to float,
// multiplied as float32 is, and rounded once at the end. The tiles stay in the caches, and no float
// copy of a whole matrix is ever made. Called by host_gemm.cpp. No faster than float32.
#pragma once

#include <algorithm>
#include <vector>

#include "td/base/parallel.h"
#include "td/kernels/libs/host_libs.h"

namespace td::kernels {

/// Rows, columns and depth of a tile: a megabyte of floats each for the factors and the sums.
constexpr std::int64_t kNarrowTile = 512;

/// A part of an operand as contiguous floats, transposed as the operand is.
struct WideTile {
  std::vector<float> values;
  std::int64_t ld = 1;

  /// Rows [row, row + rows) and columns [column, column + columns) of op(X).
  template <class T>
  void read(const T* x, bool transposed, std::int64_t x_ld, std::int64_t row, std::int64_t rows,
            std::int64_t column, std::int64_t columns) {
    if (transposed) {
      std::swap(row, column);
      std::swap(rows, columns);
    }
    ld = columns;
    values.resize(static_cast<std::size_t>(rows * columns));
    float* const to = values.data();
    const T* const from = x + row * x_ld + column;
    parallel_for(0, rows, std::max<std::int64_t>(1, 32768 / columns),
                 [=](std::int64_t first, std::int64_t last) {
                   for (std::int64_t i = first; i < last; ++i)
                     for (std::int64_t j = 0; j < columns; ++j)
                       to[i * columns + j] = static_cast<float>(from[i * x_ld + j]);
                 });
  }
};

/// c = alpha * sum + beta * c + bias for a tile. One simple loop after the other: each becomes
/// vector instructions.
template <class T>
void finish_tile(const Gemm& g, float* sum, std::int64_t rows, std::int64_t columns, const T* bias,
                 T* c) {
  const auto alpha = static_cast<float>(g.alpha), beta = static_cast<float>(g.beta);
  for (std::int64_t i = 0; i < rows; ++i, sum += columns, c += g.ldc) {
    if (alpha != 1)
      for (std::int64_t j = 0; j < columns; ++j) sum[j] *= alpha;
    if (beta != 0)
      for (std::int64_t j = 0; j < columns; ++j) sum[j] += beta * static_cast<float>(c[j]);
    if (bias)
      for (std::int64_t j = 0; j < columns; ++j) sum[j] += static_cast<float>(bias[j]);
#pragma GCC ivdep
    for (std::int64_t j = 0; j < columns; ++j) c[j] = static_cast<T>(sum[j]);
  }
}

/// One product, float16 or bfloat16.
template <class T>
void narrow_gemm(const Gemm& g, const T* a, const T* b, const T* bias, T* c) {
  thread_local WideTile left, right;
  thread_local std::vector<float> sum;
  for (std::int64_t m = 0; m < g.m; m += kNarrowTile)
    for (std::int64_t n = 0; n < g.n; n += kNarrowTile) {
      const std::int64_t rows = std::min(kNarrowTile, g.m - m);
      const std::int64_t columns = std::min(kNarrowTile, g.n - n);
      sum.assign(static_cast<std::size_t>(rows * columns), 0.0f);
      for (std::int64_t k = 0; k < g.k; k += kNarrowTile) {
        const std::int64_t depth = std::min(kNarrowTile, g.k - k);
        left.read(a, g.transpose_a, g.lda, m, rows, k, depth);
        right.read(b, g.transpose_b, g.ldb, k, depth, n, columns);
        Gemm tile;
        tile.transpose_a = g.transpose_a, tile.transpose_b = g.transpose_b;
        tile.m = rows, tile.n = columns, tile.k = depth;
        tile.lda = left.ld, tile.ldb = right.ld, tile.ldc = columns;
        tile.beta = 1;
        host_gemm(tile, left.values.data(), right.values.data(), nullptr, sum.data());
      }
      finish_tile(g, sum.data(), rows, columns, bias ? bias + n : nullptr, c + m * g.ldc + n);
    }
}

}  // namespace td::kernels
