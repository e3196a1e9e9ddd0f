// How a matrix product and a convolution are described to the libraries that compute them.
// kernels/libs reads this for host memory, backends/cuda/libs for a GPU; ops/gemm and ops/conv fill
// it in. Both are trivially copyable, because a kernel holds them by value.
#pragma once

#include <compare>
#include <cstdint>

#include "td/tensor/dtype.h"

namespace td::kernels {

/// `batch` products C = alpha * op(A) op(B) + beta * C of row-major matrices, where op transposes
/// when asked. op(A) is m x k, op(B) is k x n, C is m x n, all of one type.
struct Gemm {
  ScalarType dtype = kFloat;
  bool transpose_a = false, transpose_b = false;
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0;  ///< elements from one stored row to the next
  std::int64_t batch = 1;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;  ///< elements from matrix to matrix
  double alpha = 1, beta = 0;
  /// Lets float32 products on a GPU round their factors to TF32 (10 bits of fraction): faster, less
  /// exact.
  bool allow_tf32 = false;

  friend auto operator<=>(const Gemm&, const Gemm&) = default;
};

/// A convolution's sizes: input [n, c, h, w], weight [k, c / groups, r, s], output [n, k, oh, ow].
/// All three have one memory format: contiguous, or channels last.
struct Conv2d {
  ScalarType dtype = kFloat;
  bool channels_last = false;
  int n = 0, c = 0, h = 0, w = 0;
  int k = 0, r = 0, s = 0;
  int oh = 0, ow = 0;
  int stride_h = 1, stride_w = 1;
  int padding_h = 0, padding_w = 0;
  int dilation_h = 1, dilation_w = 1;
  int groups = 1;
  bool allow_tf32 = false;  ///< as in Gemm

  friend auto operator<=>(const Conv2d&, const Conv2d&) = default;
};

}  // namespace td::kernels
