// The doubles of cuBLAS, cuBLASLt and cuDNN as tests see them: the calls that the doubles got, and
// what they return. The wrappers (libs/cuda) call the doubles through NVIDIA's own
// headers; this header is only for tests. How often a function was called is known to
// cuda_stand_in::calls(). Invariant: a test reads and sets these values while no other thread is
// inside a library.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>
#ifdef TD_HAS_CUDNN
#include <cudnn.h>
#endif

#include <cstdint>
#include <string>
#include <vector>

#include "libs/cuda_libs.h"

namespace cuda_stand_in {

/// One product that cuBLAS or cuBLASLt accepted.
struct Product {
  cudaStream_t stream;
  void* workspace;
  std::size_t workspace_bytes;
  cublasMath_t mode;  ///< the handle's
  std::int64_t m, n, k, batch;
  const void* bias;
  bool rounds_parts;  ///< whether sums may be added after they were rounded to 16 bits
};

/// What tests of matrix products set and read.
struct Blas {
  bool knows_bias = true;  ///< false: the heuristics of cuBLASLt find no algorithm
  cublasStatus_t bias_runs_as = CUBLAS_STATUS_SUCCESS;  ///< what cublasLtMatmul returns
  std::vector<Product> products;
};
Blas& blas();

#ifdef TD_HAS_CUDNN
/// One algorithm that cuDNN has, with one math type.
struct Listed {
  int algorithm;
  cudnnMathType_t math;
  std::size_t workspace;  ///< what the algorithm needs with this math type
  bool deterministic = true;
  cudnnStatus_t listed_as = CUDNN_STATUS_SUCCESS;
  cudnnStatus_t runs_as = CUDNN_STATUS_SUCCESS;
  bool shown = true;  ///< false: cuDNN has it, but the list of algorithms does not contain it
};

/// One convolution that cuDNN was called for, with an algorithm that it has or has not.
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

/// What tests of convolutions set and read.
struct Dnn {
  std::vector<Listed> listed;  ///< instead of the double's own list, unless empty
  std::vector<Convolution> convolutions;
};
Dnn& dnn();
#endif

/// How many handles or descriptors of this type exist, such as "cudnnTensorDescriptor_t". Plans of
/// convolutions own descriptors, so that a leaked plan is seen here, too.
int live(const std::string& type);

}  // namespace cuda_stand_in
