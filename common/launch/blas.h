// Matrix products with cuBLAS's names, arguments and column-major order, on every device: cuBLAS on
// cuda, td's host libraries on cpu and sim. Called by the exercise 13.gemm and by chapter 13's
// program. Tensors replace cuBLAS's device pointers, so that the call can be checked.
//
// Invariant: cuBLAS's rules are checked before anything is enqueued, because a library would read
// past the end of a matrix, or return without a result.
#pragma once

#include "td/device/stream.h"
#include "td/tensor/tensor.h"

namespace td::simt::blas {

/// Whether a factor is transposed; cuBLAS's CUBLAS_OP_N and CUBLAS_OP_T.
enum class Operation {
  kNone,
  kTranspose,
};

/// A device and the stream on which products run. As with cublasCreate, that is the default stream
/// of the device until set_stream() names another. Not thread-safe.
struct Handle {
  explicit Handle(Device device) : stream(getDefaultStream(device)) {}
  Stream stream;
};

/// Products run on `stream` from now on; cuBLAS's cublasSetStream.
/// @throws DeviceError when the stream is on another device than the handle.
void set_stream(Handle& handle, Stream stream);

/// Computes C = alpha * op(A) * op(B) + beta * C with float32 matrices that are stored **by
/// columns**: element (i, j) of A is A[i + j * lda]. op(A) is m x k, op(B) is k x n, C is m x n.
/// Asynchronous: enqueues on the handle's stream and returns immediately.
///
/// The list of arguments is that of cublasSgemm. A, B and C are tensors whose first element is the
/// first of the matrix; their sizes and strides do not matter, but the matrix must end where the
/// tensor ends, or before.
/// @param lda, ldb, ldc elements from the beginning of a stored column to that of the next.
///     At least the stored rows: lda >= m, or lda >= k where A is transposed; ldb >= k, or n; ldc
///     >= m.
/// @param alpha, beta on the host. Where *beta is 0, C is written without being read.
/// @throws Error naming the parameter and its number in the list; DeviceError and DtypeError where
///     a tensor is on another device than the handle or is not float32.
void sgemm(const Handle& handle, Operation transa, Operation transb, int m, int n, int k,
           const float* alpha, const Tensor& A, int lda, const Tensor& B, int ldb,
           const float* beta, const Tensor& C, int ldc);

/// Computes `batchCount` such products in one call, with the arguments of
/// cublasSgemmStridedBatched: matrix i of A begins at element i * strideA, and so on.
/// @param strideA, strideB elements; 0 takes the same matrix for all products.
/// @param strideC elements; the results must not overlap.
void sgemm_strided_batched(const Handle& handle, Operation transa, Operation transb, int m, int n,
                           int k, const float* alpha, const Tensor& A, int lda, long long strideA,
                           const Tensor& B, int ldb, long long strideB, const float* beta,
                           const Tensor& C, int ldc, long long strideC, int batchCount);

}  // namespace td::simt::blas
