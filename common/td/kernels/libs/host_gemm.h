// Matrix products on host memory: picks oneDNN, OpenBLAS or our own loop. ops/gemm/gemm.cu calls it
// for cpu and sim. Compiled by g++ alone, so that no library header meets nvcc.
// Invariant: uses at most parallel_width() threads of the calling thread.
#pragma once

#include <cstdint>

#include "td/tensor/dtype.h"

namespace td::kernels {

/// `batch` products C = alpha * op(A) op(B) + beta * C of row-major matrices, where op transposes
/// when asked. op(A) is m x k, op(B) is k x n, C is m x n, all of one type. Trivially copyable.
struct Gemm {
  ScalarType dtype = kFloat;
  bool transpose_a = false, transpose_b = false;
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0;  ///< elements from one stored row to the next
  std::int64_t batch = 1;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;  ///< elements from matrix to matrix
  double alpha = 1, beta = 0;

  friend bool operator==(const Gemm&, const Gemm&) = default;
};

/// Computes it, then adds `bias` (n values, or nullptr) to every row of C.
/// Types: the floating point ones, of which those of 16 bits are summed in float and rounded once,
/// and int64, int32, uint8, whose products wrap around.
/// @pre C overlaps neither A, B nor bias; with a bias, alpha is 1 and beta 0.
void host_gemm(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c);

#ifdef TD_HAS_ONEDNN
/// The same for bfloat16 alone, no size being 0 (onednn_gemm.cpp).
void onednn_gemm(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c);
#endif

}  // namespace td::kernels
