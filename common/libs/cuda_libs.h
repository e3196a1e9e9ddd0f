// What the cuda backend takes from NVIDIA's libraries: matrix products (cuBLAS), convolutions
// (cuDNN) and collectives (NCCL). ops/gemm/gemm.cu, ops/conv/conv.cu and libs/communicator.cpp
// call it. The libraries are large, so they are linked to libtd_cuda_libs.so alone, which `libs()`
// opens at its first use.
// Invariant: every call only enqueues work on `stream`; the host never blocks here.
#pragma once

#include "libs/communicator.h"
#include "libs/products.h"

namespace td::cuda {

using kernels::Conv2d;
using kernels::Gemm;

/// Which of a convolution's three products is meant.
enum class ConvKind { kForward, kBackwardInput, kBackwardWeight };

/// The device and the stream of one call; the device is already current in this thread.
struct Where {
  int device;
  void* stream;  ///< cudaStream_t; nullptr is the default stream
};

/// The libraries as the kernels see them. All pointers are device memory, no size is 0, and results
/// do not overlap arguments. Errors are DeviceError, with the library's own words.
struct Libs {
  void (*gemm)(const Gemm& gemm, const void* a, const void* b, void* c, Where where);
  /// C = alpha * op(A) op(B) + bias in one pass over C; the bias is a row of n elements, and comes
  /// after A and B. batch is 1, beta 0.
  /// False, and nothing is queued, where there is no kernel for it.
  bool (*gemm_with_bias)(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c,
                         Where where);
  /// One of a convolution's products. kForward: result = the output, of `first` = input with
  /// `second` = weight; a bias is added afterwards, element by element. kBackwardInput: the input's
  /// gradient, of the output's gradient and the weight. kBackwardWeight: the weight's gradient, of
  /// the output's gradient and the input. cuDNN has no kernel for float64 with channels last.
  void (*conv2d)(ConvKind kind, const Conv2d& conv, const void* first, const void* second,
                 void* result, Where where);
  /// See libs/communicator.h.
  ///@{
  std::string (*new_communicator_id)();
  std::shared_ptr<Communicator> (*join_communicator)(const std::string& id, int rank, int size,
                                                     int device);
  ///@}
};

/// Opens libtd_cuda_libs.so, which is stored next to libtd.so, the first time it is called.
/// @throws DeviceError when it or a library it needs cannot be opened, naming it.
Libs& libs();

}  // namespace td::cuda

/// The one name that libtd_cuda_libs.so exports.
extern "C" td::cuda::Libs* td_cuda_libs();
