// Handles by stream: made once and kept until the process ends, as making one takes milliseconds.
#include "libs/cuda/stream_state.h"

#include <utility>

#include "td/base/error.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "td/device/graph.h"

namespace td::cuda {
namespace {

StreamState& find_state(Where where) {
  static std::mutex lock;
  static auto* const states = new std::map<std::pair<int, void*>, StreamState>;  // outlives main
  const std::lock_guard<std::mutex> guard(lock);
  return (*states)[{where.device, where.stream}];
}

// What NVIDIA recommends, in cuBLAS's documentation of cublasSetWorkspace.
std::size_t workspace_bytes(int device) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  return backend(kCUDA).compute_capability(device) >= 90 ? 32 * kMiB : 4 * kMiB;
}

}  // namespace

WorkMemory::WorkMemory(int device, std::size_t bytes)
    : allocator_(allocator(Device(kCUDA, device))),
      memory_(allocator_.allocate(bytes)),
      bytes_(bytes) {}

WorkMemory::~WorkMemory() {
  if (memory_) allocator_.release(memory_, bytes_);
}

Session::Session(Where where) : where_(where), state_(find_state(where)), lock_(state_.busy) {}

// Without a workspace of ours, a handle would share cuBLAS's own among streams, or allocate one,
// which stalls the device. Ours is set for every product, as cublasSetWorkspace allows, so that a
// captured product uses memory of its graph, and an eager one never does.
cublasHandle_t Session::blas() {
  if (!state_.blas) [[unlikely]] {
    check_may_make_handle("cuBLAS");
    cublasHandle_t handle = nullptr;
    check(cublasCreate(&handle), "cublasCreate");
    try {
      // Before any workspace is set: cublasSetStream returns to cuBLAS's own.
      check(cublasSetStream(handle, static_cast<cudaStream_t>(where_.stream)), "cublasSetStream");
      // Sums of 16-bit products stay in float to their end, also where one sum is split.
      check(cublasSetMathMode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION),
            "cublasSetMathMode");
      state_.blas_workspace = workspace_bytes(where_.device);
    } catch (...) {
      cublasDestroy(handle);
      throw;
    }
    state_.blas = handle;
  }
  blas_memory_.emplace(where_.device, state_.blas_workspace);
  check(cublasSetWorkspace(state_.blas, blas_memory_->data(), state_.blas_workspace),
        "cublasSetWorkspace");
  return state_.blas;
}

void check_may_make_handle(const char* library) {
  if (capturing_graph())
    fail_in_capture(library,
                    "It prepares itself at its first use on a stream, which a graph cannot hold. "
                    "Run the step once or twice on this stream before the capture.");
}

void check(cublasStatus_t status, const char* doing) {
  TD_CHECK(DeviceError, status == CUBLAS_STATUS_SUCCESS, doing, ": cuBLAS reports ",
           cublasGetStatusName(status), " (", cublasGetStatusString(status),
           "). Work queued earlier may be at fault: run with CUDA_LAUNCH_BLOCKING=1 to find out.");
}

}  // namespace td::cuda
