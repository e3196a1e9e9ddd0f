// What cuBLAS and cuDNN keep for one stream: a handle of each, made at its first use, cuBLAS's
// workspace, and cuDNN's plans. Used by the files of this folder.
// Invariant: a handle serves one thread at a time, so a Session holds the stream's lock.
#pragma once

#include <cublas_v2.h>
#include <cudnn.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "td/backends/cuda/libs.h"

namespace td::cuda {

struct ConvPlan;

/// Which of a convolution's three products a plan is for.
enum class ConvKind { kForward, kBackwardInput, kBackwardWeight };

struct StreamState {
  std::mutex busy;
  cublasHandle_t blas = nullptr;
  cudnnHandle_t dnn = nullptr;
  std::map<std::pair<ConvKind, Conv2d>, std::shared_ptr<ConvPlan>> plans;
};

/// The state of one device's stream, for this thread alone until the end of the scope.
class Session {
 public:
  explicit Session(Where where);

  /// cuBLAS's handle, on this stream with a workspace of its own. @throws DeviceError
  cublasHandle_t blas();
  /// cuDNN's handle, on this stream. @throws DeviceError
  cudnnHandle_t dnn();
  StreamState& state() { return state_; }

 private:
  Where where_;
  StreamState& state_;
  std::lock_guard<std::mutex> lock_;
};

/// Throw what a library's status means. @param doing which call failed, as the message's beginning.
/// @throws DeviceError
void check(cublasStatus_t status, const char* doing);
void check(cudnnStatus_t status, const char* doing);

void run_gemm(const Gemm& gemm, const void* a, const void* b, void* c, Where where);
void run_conv(ConvKind kind, const Conv2d& conv, const void* first, const void* second,
              void* result, Where where);

}  // namespace td::cuda
