// Device code: what a GPU runs, and the one function that launches it. Included by launch.h.
// TD_DEVICE_CODE says that this compiler makes device code, as nvcc does. A build for tests also
// sets it for g++, together with a header that provides CUDA's language, `start` and `Launching`.
#pragma once

#ifdef __CUDACC__
#define TD_DEVICE_CODE
#include <cuda_runtime.h>

#include <type_traits>

namespace td {
namespace {

/// kernel<<<grid, block, 0, stream>>>(arguments...). launch_on_cuda finds an error of the launch.
template <class... T>
void start(void (*kernel)(T...), dim3 grid, dim3 block, cudaStream_t stream,
           const std::type_identity_t<T>&... arguments) {
  kernel<<<grid, block, 0, stream>>>(arguments...);
}

}  // namespace
}  // namespace td
#endif
