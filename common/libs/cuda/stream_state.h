// What the libraries keep for one stream: cuBLAS's handle, made at its first use, and what
// convolutions keep (conv.cpp). Used by the files of this folder; knows nothing of cuDNN, which a
// build may lack.
// Invariants: a handle serves one thread at a time, so a Session holds the stream's lock. Work
// memory belongs to one call and is never cached, so a captured call uses the graph's memory.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "libs/cuda_libs.h"

namespace td {
class Allocator;
}

namespace td::cuda {

struct ConvState;

struct StreamState {
  std::mutex busy;
  cublasHandle_t blas = nullptr;
  std::size_t blas_workspace = 0;  ///< bytes that a product gets as work memory
  /// The algorithms for products with a bias, as cuBLASLt chose them; none where it has none.
  std::map<Gemm, std::optional<cublasLtMatmulAlgo_t>> with_bias;
  std::shared_ptr<ConvState> conv;
};

/// Work memory of one call, from the caching allocator. It is released when the call is queued; the
/// next allocation on this stream may reuse it, because that work comes after the call's.
class WorkMemory {
 public:
  /// @pre the call's stream is current. @throws OutOfMemoryError
  WorkMemory(int device, std::size_t bytes);
  ~WorkMemory();
  WorkMemory(const WorkMemory&) = delete;
  WorkMemory& operator=(const WorkMemory&) = delete;
  void* data() const { return memory_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Allocator& allocator_;
  void* memory_;
  std::size_t bytes_;
};

/// The state of one device's stream, for this thread alone until the end of the scope.
class Session {
 public:
  explicit Session(Where where);

  /// cuBLAS's handle, on this stream, with work memory until the end of the scope. Call it once.
  /// @throws DeviceError, OutOfMemoryError
  cublasHandle_t blas();
  /// The work memory that came with the handle.
  const WorkMemory& blas_memory() const { return *blas_memory_; }
  StreamState& state() { return state_; }

 private:
  Where where_;
  StreamState& state_;
  std::lock_guard<std::mutex> lock_;
  std::optional<WorkMemory> blas_memory_;  // last, so that it goes back before the lock
};

/// alpha or beta in the type the sums are made in, which is how the libraries read them.
union ScaleFactor {
  ScaleFactor(ScalarType dtype, double value) {
    if (dtype == kDouble)
      wide = value;
    else
      narrow = static_cast<float>(value);
  }
  float narrow;
  double wide;
};

/// Called before a handle is made, which takes memory and waits for the device.
/// @throws DeviceError while a graph is captured, which cannot hold that.
void check_may_make_handle(const char* library);
/// Throws an error that explains a status of cuBLAS. @param doing the failed call, for the message.
/// @throws DeviceError
void check(cublasStatus_t status, const char* doing);

/// The functions of Libs. The last two throw DeviceError with NCCL's words, or when the build has
/// no NCCL.
///@{
void run_gemm(const Gemm& gemm, const void* a, const void* b, void* c, Where where);
bool run_gemm_with_bias(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c,
                        Where where);
void run_conv(ConvKind kind, const Conv2d& conv, const void* first, const void* second,
              void* result, Where where);
std::string new_nccl_id();
std::shared_ptr<Communicator> join_nccl(const std::string& id, int rank, int size, int device);
///@}

}  // namespace td::cuda
