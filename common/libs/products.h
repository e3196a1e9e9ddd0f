// Matrix products and convolutions: how they are described to the libraries that compute them, and
// how exactly they are computed. ops/gemm and ops/conv fill the descriptions in; libs/host reads
// them for host memory, libs/cuda for a GPU. They are trivially copyable, because a kernel
// holds them by value. Invariant: TF32 is never used while it is off, for convolutions too, where
// cuDNN and PyTorch would otherwise take it.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "td/device/device.h"
#include "td/tensor/dtype.h"

namespace td {

/// Sets how much of their precision float32 products may give up for speed, in the whole process.
/// PyTorch's torch.set_float32_matmul_precision.
/// @param precision "highest": none, 24 bits are multiplied; this is how a program starts.
///   "high" and "medium": GPUs may round the factors to TF32 (11 bits, the exponents of float32)
///   and multiply them on Tensor Cores; sums stay in float32. Unlike in PyTorch this also applies
///   to convolutions. cpu and sim always compute in float32.
/// @throws Error for another word.
void set_float32_matmul_precision(std::string_view precision);
/// The word that was set last.
std::string_view get_float32_matmul_precision();
/// Whether float32 products may use TF32.
bool allow_tf32();

/// Sets how convolutions on GPUs choose among cuDNN's algorithms, in the whole process. PyTorch's
/// torch.backends.cudnn.benchmark.
/// @param on true: the first convolution of each kind and size runs every algorithm, waits for the
///   device, and keeps the fastest. Worth it where sizes repeat; two runs of a program may choose
///   differently, and so round differently. false, as a program starts: cuDNN's heuristic chooses,
///   among algorithms that give the same sum in every run where there are any.
void set_cudnn_benchmark(bool on);
/// What was set last.
bool cudnn_benchmark();

/// Checks that a GPU can compute in bfloat16, which requires compute capability 8.0.
/// @param what the caller, as the message's beginning: "autocast", "conv2d".
/// @param compute_capability 75 for 7.5; 0 for a device that is no GPU and can compute in it.
/// @throws DeviceError with the next step when it cannot.
void check_bfloat16(const char* what, Device device, int compute_capability);

namespace kernels {

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
  bool allow_tf32 = false;  ///< float32 factors may be rounded to TF32 on a GPU: faster, less exact

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
  bool benchmark = false;   ///< on a GPU: the fastest algorithm, found by timing all

  friend auto operator<=>(const Conv2d&, const Conv2d&) = default;
};

}  // namespace kernels
}  // namespace td
