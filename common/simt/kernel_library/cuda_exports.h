// The launch function that the nvcc-compiled version of a kernel library exports. Included once per
// library, by a file that the build writes (cmake/Kernels.cmake).
//
// Invariant: CUDA's static runtime is linked to each library by itself, and a runtime launches only
// kernels that were registered with it. So a launch belongs to the library of the kernel.
#pragma once

#include <cuda_runtime.h>

/// Launches a kernel of this library, by the address of its host function. Allows as much dynamic
/// shared memory as the launch states. @return CUDA's error of the launch, which is then reset.
extern "C" cudaError_t td_launch_kernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared, bool is_cooperative, cudaStream_t stream) {
  constexpr size_t kWithoutOptIn = 48 << 10;
  cudaError_t error = cudaSuccess;
  if (shared > kWithoutOptIn)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(shared));
  if (!error)
    error = is_cooperative
                ? cudaLaunchCooperativeKernel(kernel, grid, block, arguments, shared, stream)
                : cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
  if (error) cudaGetLastError();
  return error;
}
