// What the cuda backend takes from NVIDIA's libraries: matrix products (cuBLAS), convolutions
// (cuDNN) and collectives (NCCL). ops/gemm/gemm.cu, ops/conv/conv_kernels.cu and backends/communicator.cpp
// call it. The libraries are large, so they are linked to libtd_cuda_libs.so alone, which `libs()`
// opens at its first use.
// Invariant: every call only queues work on `stream`; the host never waits here.
#pragma once

#include <compare>
#include <cstdint>

#include "td/backends/communicator.h"

namespace td::cuda {

/// `batch` products C = alpha * op(A) op(B) + beta * C of row-major matrices, where op transposes
/// when asked. op(A) is m x k, op(B) is k x n, C is m x n, all of one floating point type. The
/// 16-bit types are summed in float.
struct Gemm {
  ScalarType dtype = kFloat;
  bool transpose_a = false, transpose_b = false;
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0;  ///< elements from one stored row to the next
  std::int64_t batch = 1;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;  ///< elements from one matrix to the next
  double alpha = 1, beta = 0;
  /// Lets float32 products round their factors to TF32 (10 bits of fraction): faster, less exact.
  bool allow_tf32 = false;

  friend auto operator<=>(const Gemm&, const Gemm&) = default;
};

/// A convolution's sizes: input [n, c, h, w], weight [k, c / groups, r, s], output [n, k, oh, ow].
/// All three are stored alike: contiguous, or with channels last.
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

/// The device and the stream of one call; the device is already current in this thread.
struct Where {
  int device;
  void* stream;  ///< cudaStream_t; nullptr is the default stream
};

/// The libraries as the kernels see them. All pointers are device memory, no size is 0, and results
/// do not overlap arguments. Errors are DeviceError, with the library's own words.
class Libs {
 public:
  virtual ~Libs() = default;
  virtual void gemm(const Gemm& gemm, const void* a, const void* b, void* c, Where where) = 0;
  /// C = alpha * op(A) op(B) + bias in one pass over C; the bias is a row of n elements, and comes
  /// after A and B. batch is 1, beta 0.
  /// False, and nothing is queued, where there is no kernel for it.
  virtual bool gemm_with_bias(const Gemm&, const void*, const void*, const void*, void*, Where) {
    return false;
  }
  /// False for what cuDNN has no kernel for: float64 with channels last. Make contiguous copies.
  virtual bool supports(const Conv2d& conv) const = 0;
  /// output = convolution of input with weight. A bias is added afterwards, element by element.
  virtual void conv2d(const Conv2d& conv, const void* input, const void* weight, void* output,
                      Where where) = 0;
  /// Gradient of the input, from `grad` of the output.
  virtual void conv2d_backward_input(const Conv2d& conv, const void* grad, const void* weight,
                                     void* grad_input, Where where) = 0;
  /// Gradient of the weight.
  virtual void conv2d_backward_weight(const Conv2d& conv, const void* grad, const void* input,
                                      void* grad_weight, Where where) = 0;
  /// See backends/communicator.h.
  ///@{
  virtual std::string new_communicator_id() = 0;
  virtual std::shared_ptr<Communicator> join_communicator(const std::string& id, int rank, int size,
                                                          int device) = 0;
  ///@}
};

/// Opens libtd_cuda_libs.so, which lies beside libtd.so, the first time it is called.
/// @throws DeviceError when it or a library it needs cannot be opened, naming it.
Libs& libs();

}  // namespace td::cuda

/// The one name that libtd_cuda_libs.so exports. The object lives as long as the process.
extern "C" td::cuda::Libs* td_cuda_libs();
