// cuBLAS, cuDNN and the GPU's memory as tests of the wrappers want them: every call is written
// down, what NVIDIA's documentation forbids is refused, and of all the work only float32 products
// are done, in host memory. This program compiles the wrappers (backends/cuda/libs) itself, and its
// own functions stand where the libraries' would. Used by one thread.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cudnn.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "td/backends/cuda/libs/stream_state.h"

namespace fake {

/// One product that cuBLAS was asked for.
struct Product {
  void *stream, *workspace;  ///< what the handle had when the product was called
  std::size_t workspace_bytes;
  cublasMath_t mode;
  std::int64_t m, n, k, batch;
  const void* bias = nullptr;
};

/// What cuDNN can do, as an entry of its list of algorithms.
struct Listed {
  int algorithm;
  cudnnMathType_t math;
  std::size_t workspace;  ///< what the algorithm needs with this math type
  bool deterministic = true;
  cudnnStatus_t listed_as = CUDNN_STATUS_SUCCESS;
  cudnnStatus_t runs_as = CUDNN_STATUS_SUCCESS;
  bool shown = true;  ///< false: cuDNN can do it, but the list does not say so
};

/// One convolution that cuDNN was asked for.
struct Convolution {
  td::cuda::ConvKind kind;
  int algorithm;
  cudnnMathType_t math;  ///< what the descriptor held at the call
  std::size_t workspace_bytes;
  const void *input, *weight, *output;
  int images;
  double beta;
  cudnnStatus_t status;
};

/// What the tests set, and what was written down since `reset`.
struct World {
  int compute_capability = 90;
  std::size_t room = SIZE_MAX;  ///< requests for more are refused
  std::uintptr_t pool = 1;      ///< blocks come from [pool << 40, (pool + 1) << 40)
  std::map<void*, std::size_t> live;
  std::vector<Product> products;
  int times_asked = 0;  ///< for an algorithm of cuBLASLt
  bool knows_bias = true;
  cublasStatus_t bias_runs_as = CUBLAS_STATUS_SUCCESS;
  std::vector<Listed> listed;
  int times_listed = 0;
  std::vector<Convolution> convolutions;
};

World& world();
/// Starts again; a test's streams are its own, because the wrappers keep their handles.
void reset();
/// A stream that no test had before.
td::cuda::Where new_stream();

}  // namespace fake
