// What the libraries keep for one stream: cuBLAS's handle, made at its first use, and what
// convolutions keep (conv.cpp). Used by the files of this folder; knows nothing of cuDNN, which
// a build may lack.
// Invariant: a handle serves one thread at a time, so a Session holds the stream's lock.
#pragma once

#include <cublas_v2.h>

#include <memory>
#include <mutex>

#include "td/backends/cuda/libs.h"

namespace td::cuda {

struct ConvState;

struct StreamState {
  std::mutex busy;
  cublasHandle_t blas = nullptr;
  std::shared_ptr<ConvState> conv;
};

/// The state of one device's stream, for this thread alone until the end of the scope.
class Session {
 public:
  explicit Session(Where where);

  /// cuBLAS's handle, on this stream with a workspace of its own. @throws DeviceError
  cublasHandle_t blas();
  StreamState& state() { return state_; }

 private:
  Where where_;
  StreamState& state_;
  std::lock_guard<std::mutex> lock_;
};

/// Called before a handle is made, which takes memory and waits for the device.
/// @throws DeviceError while a graph is captured, which cannot hold that.
void check_may_make_handle(const char* library);
/// Throws what cuBLAS's status means. @param doing which call failed, as the message's beginning.
/// @throws DeviceError
void check(cublasStatus_t status, const char* doing);

/// Which of a convolution's three products is meant.
enum class ConvKind { kForward, kBackwardInput, kBackwardWeight };

void run_gemm(const Gemm& gemm, const void* a, const void* b, void* c, Where where);
void run_conv(ConvKind kind, const Conv2d& conv, const void* first, const void* second,
              void* result, Where where);

}  // namespace td::cuda
