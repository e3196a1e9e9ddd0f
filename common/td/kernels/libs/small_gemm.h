// Matrix products of a thousand multiplications and fewer, the layers of small models: a library's
// call costs more than these loops. Called by host_gemm.cpp. Which loop is outermost follows from
// how the factors lie in memory, so that the innermost one walks forwards.
#pragma once

#include "td/kernels/libs/blocked_gemm.h"

namespace td::kernels {

/// A B + bias where A's rows and B's columns lie side by side: each element is a sum over both.
template <class T>
void small_by_dots(const Gemm& g, const MatrixView<T>& a, const MatrixView<T>& b, const T* bias,
                   T* c) {
  for (std::int64_t i = 0; i < g.m; ++i)
    for (std::int64_t j = 0; j < g.n; ++j) {
      const T *row = a.data + i * a.row_step, *column = b.data + j * b.column_step;
      T sum = 0;
#pragma omp simd reduction(+ : sum)
      for (std::int64_t k = 0; k < g.k; ++k) sum += row[k] * column[k];
      c[i * g.ldc + j] = static_cast<T>(sum + (bias ? bias[j] : T(0)));
    }
}

/// A B + bias for any A and a B whose rows lie side by side: a row of C is a sum of rows of B, and
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
  if (a.column_step == 1 && b.row_step == 1)
    small_by_dots(g, a, b, bias, c);
  else if (b.column_step == 1)
    small_by_rows(g, a, b, bias, c);
  else
    small_by_elements(g, a, b, bias, c);
}

}  // namespace td::kernels
