// The device that CUDA calls of a thread go to; see cuda.h. CUDA makes a context, which costs a GPU
// half a gigabyte, on the device that is current at a thread's first call, and that is 0 until the
// thread says otherwise.
#include <cuda_runtime.h>

#include <atomic>

#include "td/backends/cuda/cuda.h"
#include "td/device/thread_state.h"

namespace td::cuda {
namespace {

std::atomic<int> first_device{-1};  // that this process used

cudaError_t set_device(int index) {
  const cudaError_t error = cudaSetDevice(index);
  if (error != cudaSuccess) return error;
  current_device_of_thread = index;
  int none = -1;
  first_device.compare_exchange_strong(none, index);
  return cudaSuccess;
}

}  // namespace

thread_local constinit int current_device_of_thread = -1;

void switch_device(int index) {
  if (const cudaError_t error = set_device(index))
    throw_error("cuda:" + std::to_string(index), error);
}

bool try_use_device(int index) noexcept {
  if (current_device_of_thread == index || set_device(index) == cudaSuccess) return true;
  cudaGetLastError();
  return false;
}

int device_for_host_memory() {
  const int first = first_device;
  return first >= 0 ? first : thread_state().current_device[static_cast<int>(kCUDA)];
}

}  // namespace td::cuda
