// Handles by stream: made once, kept until the process ends, since making one takes milliseconds.
#include "td/backends/cuda/libs/stream_state.h"

#include <map>
#include <utility>

#include "td/base/error.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "td/device/capture.h"

namespace td::cuda {
namespace {

StreamState& find_state(Where where) {
  // Most threads stay with one stream: remember the last one, and take no lock for it.
  thread_local Where last{-1, nullptr};
  thread_local StreamState* last_state = nullptr;
  if (last_state && last.device == where.device && last.stream == where.stream) return *last_state;

  static std::mutex lock;
  static auto* const states = new std::map<std::pair<int, void*>, StreamState>;  // outlives main
  const std::lock_guard<std::mutex> guard(lock);
  last_state = &(*states)[{where.device, where.stream}];
  last = where;
  return *last_state;
}

// Work memory of the size NVIDIA recommends. With its own for each stream, cuBLAS never has to
// allocate, which would stop the device. It is no tensor's, so the allocator does not count it.
void* make_workspace(int device, std::size_t bytes) {
  Backend& cuda = backend(kCUDA);
  void* memory = cuda.allocate(device, bytes);
  if (!memory) {
    empty_cache();
    memory = cuda.allocate(device, bytes);
  }
  TD_CHECK(OutOfMemoryError, memory, "cuda:", device, " has no ", bytes >> 20,
           " MiB left for the work memory of cuBLAS; free some tensors, or use a smaller batch");
  return memory;
}

}  // namespace

void check_may_make_handle(const char* library) {
  if (capturing_graph)
    refuse_in_capture(library,
                      "It prepares itself at its first use on a stream, which a graph cannot hold. "
                      "Run the step once or twice on this stream before the capture.");
}

Session::Session(Where where) : where_(where), state_(find_state(where)), lock_(state_.busy) {}

cublasHandle_t Session::blas() {
  if (state_.blas) [[likely]]
    return state_.blas;
  check_may_make_handle("cuBLAS");
  constexpr std::size_t kWorkspace = std::size_t(32) << 20;
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle), "cublasCreate");
  try {
    check(cublasSetStream(handle, static_cast<cudaStream_t>(where_.stream)), "cublasSetStream");
    check(cublasSetWorkspace(handle, make_workspace(where_.device, kWorkspace), kWorkspace),
          "cublasSetWorkspace");
    // Sums of 16-bit products stay in float to their end, also where one sum is split.
    check(cublasSetMathMode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION),
          "cublasSetMathMode");
  } catch (...) {
    cublasDestroy(handle);
    throw;
  }
  return state_.blas = handle;
}

void check(cublasStatus_t status, const char* doing) {
  TD_CHECK(DeviceError, status == CUBLAS_STATUS_SUCCESS, doing, ": cuBLAS reports ",
           cublasGetStatusName(status), " (", cublasGetStatusString(status),
           "). Work queued earlier may be at fault: run with CUDA_LAUNCH_BLOCKING=1 to find out.");
}

}  // namespace td::cuda
