// Our own matrix product, for element types and builds that no library serves. It shows what the
// libraries do: copy blocks of both factors into the order in which they will be read, and keep a
// small tile of the result in registers while walking the depth.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "td/base/parallel.h"
#include "td/kernels/libs/host_libs.h"

namespace td::kernels {

/// Element (row, column) of op(X): at data[row * row_step + column * column_step].
template <class T>
struct MatrixView {
  const T* data;
  std::int64_t row_step, column_step;
  MatrixView(const T* p, bool transposed, std::int64_t ld)
      : data(p), row_step(transposed ? 1 : ld), column_step(transposed ? ld : 1) {}
  T operator()(std::int64_t row, std::int64_t column) const {
    return data[row * row_step + column * column_step];
  }
};

/// A tile of the result: kRows x kColumns numbers, which fit the vector registers.
template <class T>
struct Tile {
  using Vector [[gnu::vector_size(64)]] = T;
  static constexpr int kRows = 4, kVectors = 2, kLanes = 64 / sizeof(T);
  static constexpr int kColumns = kVectors * kLanes;

  Vector sum[kRows][kVectors];

  /// sum += A B for packed strips: a is [depth][kRows], b is [depth][kColumns].
  void accumulate(std::int64_t depth, const T* a, const T* b) {
    Vector s[kRows][kVectors] = {};
    for (std::int64_t k = 0; k < depth; ++k, a += kRows, b += kColumns) {
      Vector row[kVectors];
      std::memcpy(row, b, sizeof row);
      for (int i = 0; i < kRows; ++i)
        for (int v = 0; v < kVectors; ++v) s[i][v] += a[i] * row[v];
    }
    std::memcpy(sum, s, sizeof sum);
  }
  T at(int row, int column) const { return sum[row][column / kLanes][column % kLanes]; }
};

/// Copies `count` lines of x, from `first`, into strips of `width` lines, [strip][depth][width];
/// missing lines are zero. A line is a row of A or a column of B.
template <class T, class At>
void pack(std::vector<T>& to, std::int64_t count, std::int64_t depth, int width, At at) {
  const std::int64_t strips = (count + width - 1) / width;
  to.resize(static_cast<std::size_t>(strips * depth * width));
  T* next = to.data();
  for (std::int64_t strip = 0; strip < strips; ++strip)
    for (std::int64_t k = 0; k < depth; ++k)
      for (int i = 0; i < width; ++i) {
        const std::int64_t line = strip * width + i;
        *next++ = line < count ? at(line, k) : T(0);
      }
}

/// C = beta * C; beta = 0 also clears NaN, as the libraries do.
template <class T>
void scale_result(const Gemm& g, T* c) {
  for (std::int64_t i = 0; i < g.m; ++i)
    for (std::int64_t j = 0; j < g.n; ++j)
      c[i * g.ldc + j] =
          g.beta == 0 ? T(0) : static_cast<T>(static_cast<T>(g.beta) * c[i * g.ldc + j]);
}

/// Rows [from, to) of C += alpha * A B for one block of depth and columns whose B is packed.
template <class T>
void multiply_rows(const Gemm& g, MatrixView<T> a, std::int64_t from, std::int64_t to,
                   std::int64_t k0, std::int64_t depth, std::int64_t n0, std::int64_t columns,
                   const T* packed_b, T* c) {
  thread_local std::vector<T> packed_a;
  using Block = Tile<T>;
  Block tile;
  for (std::int64_t i0 = from; i0 < to; i0 += Block::kRows) {
    const std::int64_t rows = std::min<std::int64_t>(Block::kRows, to - i0);
    pack(packed_a, rows, depth, Block::kRows,
         [&](std::int64_t row, std::int64_t k) { return a(i0 + row, k0 + k); });
    for (std::int64_t j0 = 0; j0 < columns; j0 += Block::kColumns) {
      tile.accumulate(depth, packed_a.data(), packed_b + j0 * depth);
      const std::int64_t width = std::min<std::int64_t>(Block::kColumns, columns - j0);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < width; ++j) {
          T& target = c[(i0 + i) * g.ldc + n0 + j0 + j];
          target = static_cast<T>(target + static_cast<T>(g.alpha) * tile.at(i, j));
        }
    }
  }
}

/// One product, any type.
template <class T>
void blocked_gemm(const Gemm& g, const T* a_data, const T* b_data, T* c) {
  constexpr std::int64_t kDepth = 256, kWidth = 1024;  // a packed block of B stays in cache
  const MatrixView<T> a(a_data, g.transpose_a, g.lda), b(b_data, g.transpose_b, g.ldb);
  scale_result(g, c);
  thread_local std::vector<T> packed_b;
  for (std::int64_t k0 = 0; k0 < g.k; k0 += kDepth) {
    const std::int64_t depth = std::min(kDepth, g.k - k0);
    for (std::int64_t n0 = 0; n0 < g.n; n0 += kWidth) {
      const std::int64_t columns = std::min(kWidth, g.n - n0);
      pack(packed_b, columns, depth, Tile<T>::kColumns,
           [&](std::int64_t column, std::int64_t k) { return b(k0 + k, n0 + column); });
      const std::int64_t grain = std::max<std::int64_t>(4, (1 << 18) / (depth * columns));
      const T* block = packed_b.data();  // this thread's, not the team's
      parallel_for(0, g.m, grain, [&](std::int64_t from, std::int64_t to) {
        multiply_rows(g, a, from, to, k0, depth, n0, columns, block, c);
      });
    }
  }
}

}  // namespace td::kernels
