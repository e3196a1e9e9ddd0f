// What libX_cuda.so of a kernel library X exports besides its kernels: the call that starts one. In
// the same library as the kernels, because each library has a CUDA runtime of its own, which knows
// the kernels of that library alone. Called by cuda_launch.cpp.
#include <cuda_runtime_api.h>

/// Queues the kernel on the stream, as `kernel<<<grid, block, shared, stream>>>(...)` does.
/// @param kernel the host function that nvcc makes for the kernel.
/// @return CUDA's error, or 0.
extern "C" int td_start_kernel(const void* kernel, const unsigned* grid, const unsigned* block,
                               void** arguments, size_t shared, void* stream) {
  constexpr size_t kWithoutOptIn = 48 << 10;
  if (shared > kWithoutOptIn)
    if (const cudaError_t error = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)))
      return error;
  return cudaLaunchKernel(kernel, dim3(grid[0], grid[1], grid[2]),
                          dim3(block[0], block[1], block[2]), arguments, shared,
                          static_cast<cudaStream_t>(stream));
}
