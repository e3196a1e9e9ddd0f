// Matrix products by loops of our own, for host_gemm.cpp: small ones, where a library's call costs
// more than the work; types and builds that no library serves (plain_gemm); 16-bit types, which no
// library reads everywhere (narrow_gemm).
#pragma once

#include <algorithm>
#include <vector>

#include "libs/host_libs.h"
#include "td/base/parallel.h"

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

/// The sums of products of kRows rows of A, each contiguous in memory, with one column of B.
template <int kRows, class T>
void dots(const T* a, std::int64_t row_step, const T* b, std::int64_t step_b, std::int64_t depth,
          T more, T* c, std::int64_t step_c) {
  T sums[kRows] = {};
  // Vectors along k would have to be taken apart again, because the sums keep their order.
#pragma omp simd if (0)
  for (std::int64_t k = 0; k < depth; ++k)
    for (int r = 0; r < kRows; ++r)
      sums[r] = static_cast<T>(sums[r] + a[r * row_step + k] * b[k * step_b]);
  for (int r = 0; r < kRows; ++r) c[r * step_c] = static_cast<T>(sums[r] + more);
}

/// A B + bias column by column, for an A whose rows are contiguous.
template <class T>
void small_by_columns(const Gemm& g, const MatrixView<T>& a, const MatrixView<T>& b, const T* bias,
                      T* c) {
  constexpr std::int64_t kTogether = 8;  // independent sums, so that none waits for another
  for (std::int64_t j = 0; j < g.n; ++j) {
    const T* column = b.data + j * b.column_step;
    const T more = bias ? bias[j] : T(0);
    std::int64_t i = 0;
    for (; i + kTogether <= g.m; i += kTogether)
      dots<kTogether>(a.data + i * a.row_step, a.row_step, column, b.row_step, g.k, more,
                      c + i * g.ldc + j, g.ldc);
    for (; i < g.m; ++i)
      dots<1>(a.data + i * a.row_step, a.row_step, column, b.row_step, g.k, more, c + i * g.ldc + j,
              g.ldc);
  }
}

/// A B + bias for any A and a B whose rows are contiguous: a row of C is a sum of rows of B, and
/// four of them are added at a time.
template <class T>
void small_by_rows(const Gemm& g, const MatrixView<T>& a, const MatrixView<T>& b, const T* bias,
                   T* c) {
  for (std::int64_t i = 0; i < g.m; ++i, c += g.ldc) {
    for (std::int64_t j = 0; j < g.n; ++j) c[j] = bias ? bias[j] : T(0);
    std::int64_t k = 0;
    for (; k + 4 <= g.k; k += 4) {
      const T f0 = a(i, k), f1 = a(i, k + 1), f2 = a(i, k + 2), f3 = a(i, k + 3);
      const T *r0 = b.data + k * b.row_step, *r1 = r0 + b.row_step, *r2 = r1 + b.row_step,
              *r3 = r2 + b.row_step;
#pragma omp simd
      for (std::int64_t j = 0; j < g.n; ++j)
        c[j] = static_cast<T>(c[j] + f0 * r0[j] + f1 * r1[j] + (f2 * r2[j] + f3 * r3[j]));
    }
    for (; k < g.k; ++k) {
      const T factor = a(i, k);
      const T* row = b.data + k * b.row_step;
      for (std::int64_t j = 0; j < g.n; ++j) c[j] = static_cast<T>(c[j] + factor * row[j]);
    }
  }
}

/// C = A B + bias, nothing scaled, of at most about a thousand multiplications: the layers of small
/// models. The order of the factors in memory decides which loop is outermost, so that the
/// innermost one walks forwards. @pre not both are transposed, or k is 0.
template <class T>
void small_gemm(const Gemm& g, const T* a_data, const T* b_data, const T* bias, T* c) {
  const MatrixView<T> a(a_data, g.transpose_a, g.lda), b(b_data, g.transpose_b, g.ldb);
  if (g.k > 0 && a.column_step == 1 && (b.column_step != 1 || g.n < 4))
    small_by_columns(g, a, b, bias, c);
  else
    small_by_rows(g, a, b, bias, c);
}

/// One product, any type: a row of C is a sum of rows of B.
template <class T>
void plain_gemm(const Gemm& g, const T* a_data, const T* b_data, T* c) {
  const MatrixView<T> a(a_data, g.transpose_a, g.lda), b(b_data, g.transpose_b, g.ldb);
  const T alpha = static_cast<T>(g.alpha), beta = static_cast<T>(g.beta);
  const std::int64_t work = std::max<std::int64_t>(1, g.n * g.k);
  parallel_for(0, g.m, std::max<std::int64_t>(1, (1 << 18) / work), [&](auto from, auto to) {
    for (std::int64_t i = from; i < to; ++i) {
      T* const row = c + i * g.ldc;
      for (std::int64_t j = 0; j < g.n; ++j)  // beta = 0 also clears NaN
        row[j] = beta == T(0) ? T(0) : static_cast<T>(beta * row[j]);
      for (std::int64_t k = 0; k < g.k; ++k) {
        const T factor = static_cast<T>(alpha * a(i, k));
        const T* const other = b.data + k * b.row_step;
        for (std::int64_t j = 0; j < g.n; ++j)
          row[j] = static_cast<T>(row[j] + factor * other[j * b.column_step]);
      }
    }
  });
}

/// `rows` x `columns` numbers of x as contiguous floats, in `to`.
template <class T>
const float* widened(std::vector<float>& to, const T* x, std::int64_t ld, std::int64_t rows,
                     std::int64_t columns) {
  to.resize(static_cast<std::size_t>(rows * columns));
  float* const data = to.data();
  parallel_for(0, rows, std::max<std::int64_t>(1, 32768 / columns),
               [=](std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i)
                   for (std::int64_t j = 0; j < columns; ++j)
                     data[i * columns + j] = static_cast<float>(x[i * ld + j]);
               });
  return data;
}

/// c = alpha * sum + beta * c + bias for a tile. One simple loop after another: each becomes vector
/// instructions.
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

/// One product, float16 or bfloat16: tiles of both factors are widened to float, multiplied as
/// float32 is, and rounded once at the end. The tiles stay in the caches, and no float copy of a
/// whole matrix is ever made. No faster than float32.
template <class T>
void narrow_gemm(const Gemm& g, const T* a, const T* b, const T* bias, T* c) {
  constexpr std::int64_t kTile = 512;  // rows, columns and depth: a megabyte of floats each
  thread_local std::vector<float> left, right, sum;
  for (std::int64_t m = 0; m < g.m; m += kTile)
    for (std::int64_t n = 0; n < g.n; n += kTile) {
      Gemm tile{.transpose_a = g.transpose_a, .transpose_b = g.transpose_b, .beta = 1};
      tile.m = std::min(kTile, g.m - m);
      tile.n = tile.ldc = std::min(kTile, g.n - n);
      sum.assign(static_cast<std::size_t>(tile.m * tile.n), 0.0f);
      for (std::int64_t k = 0; k < g.k; k += kTile) {
        tile.k = std::min(kTile, g.k - k);
        tile.lda = g.transpose_a ? tile.m : tile.k;
        tile.ldb = g.transpose_b ? tile.k : tile.n;
        host_gemm(tile,
                  g.transpose_a ? widened(left, a + k * g.lda + m, g.lda, tile.k, tile.m)
                                : widened(left, a + m * g.lda + k, g.lda, tile.m, tile.k),
                  g.transpose_b ? widened(right, b + n * g.ldb + k, g.ldb, tile.n, tile.k)
                                : widened(right, b + k * g.ldb + n, g.ldb, tile.k, tile.n),
                  nullptr, sum.data());
      }
      finish_tile(g, sum.data(), tile.m, tile.n, bias ? bias + n : nullptr, c + m * g.ldc + n);
    }
}

}  // namespace td::kernels
