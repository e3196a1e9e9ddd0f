// Matrix products of a thousand multiplications and fewer, the layers of small models: a library's
// call costs more than these loops. Called by host_gemm.cpp. Which loop is outermost follows from
// how the factors lie in memory, so that the innermost one walks forwards.
#pragma once

#include "td/kernels/libs/blocked_gemm.h"

namespace td::kernels {

constexpr std::int64_t kTogether = 8;  // independent sums, so that none waits for another

/// The sums of products of kRows rows of A, each contiguous in memory, with one column of B.
template <int kRows, class T>
void dots(const T* a, std::int64_t row_step, const T* b, std::int64_t step_b, std::int64_t depth,
          T more, T* c, std::int64_t step_c) {
  T sums[kRows] = {};
  for (std::int64_t k = 0; k < depth; ++k)
    for (int r = 0; r < kRows; ++r)
      sums[r] = static_cast<T>(sums[r] + a[r * row_step + k] * b[k * step_b]);
  for (int r = 0; r < kRows; ++r) c[r * step_c] = static_cast<T>(sums[r] + more);
}

/// A B + bias column by column, for an A whose rows are contiguous.
template <class T>
void small_by_columns(const Gemm& g, const MatrixView<T>& a, const MatrixView<T>& b, const T* bias,
                      T* c) {
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

/// Neither factor's memory helps: element by element.
template <class T>
void small_by_elements(const Gemm& g, const MatrixView<T>& a, const MatrixView<T>& b, const T* bias,
                       T* c) {
  for (std::int64_t i = 0; i < g.m; ++i)
    for (std::int64_t j = 0; j < g.n; ++j) {
      T sum = bias ? bias[j] : T(0);
      for (std::int64_t k = 0; k < g.k; ++k) sum = static_cast<T>(sum + a(i, k) * b(k, j));
      c[i * g.ldc + j] = sum;
    }
}

/// C = A B + bias, nothing scaled.
template <class T>
void small_gemm(const Gemm& g, const T* a_data, const T* b_data, const T* bias, T* c) {
  const MatrixView<T> a(a_data, g.transpose_a, g.lda), b(b_data, g.transpose_b, g.ldb);
  if (g.k == 0)  // the factors have no memory to point into
    small_by_elements(g, a, b, bias, c);
  else if (a.column_step == 1 && (b.column_step != 1 || g.n < 4))
    small_by_columns(g, a, b, bias, c);
  else if (b.column_step == 1)
    small_by_rows(g, a, b, bias, c);
  else
    small_by_elements(g, a, b, bias, c);
}

}  // namespace td::kernels
