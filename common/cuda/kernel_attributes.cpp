// What a program asks and sets about a kernel. Registers are not known, so nothing follows from
// them.
#include "cuda/state.h"
#include "simt/library.h"

namespace td::cudart {

cudaError_t set_attribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  return run_call({"cudaFuncSetAttribute", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || static_cast<std::size_t>(value) > all.gpu->shared_opt_in)
      return cudaErrorInvalidValue;
    all.dynamic_shared[kernel] = value;
    return cudaSuccess;
  });
}

cudaError_t get_attributes(cudaFuncAttributes* attributes, const void* kernel) {
  return run_call({"cudaFuncGetAttributes", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    const unsigned bounds = simt::library_of(kernel).launch_bounds(kernel);
    *attributes = {};
    attributes->maxThreadsPerBlock = bounds ? static_cast<int>(bounds) : 1024;
    attributes->numRegs = 32;  // unknown; a usual number
    attributes->ptxVersion = attributes->binaryVersion = all.gpu->compute_capability;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(simt::kSharedWithoutOptIn);
    return cudaSuccess;
  });
}

cudaError_t occupancy(int* blocks, const void* kernel, int threads, std::size_t shared) {
  return run_call({"cudaOccupancyMaxActiveBlocksPerMultiprocessor", TD_CUDA_CALLER},
                  [&](State& all, Lock&) {
                    const unsigned bounds = simt::library_of(kernel).launch_bounds(kernel);
                    if (threads < 1) return cudaErrorInvalidValue;
                    const unsigned most = bounds ? bounds : 1024;
                    *blocks = static_cast<unsigned>(threads) > most
                                  ? 0
                                  : simt::occupancy(*all.gpu, threads, shared).blocks;
                    return cudaSuccess;
                  });
}

}  // namespace td::cudart
