// The calls about pools of memory. Invariant: a device has one pool, which is its arena: nothing is
// kept for later.
#include <cstring>

#include "cuda/state.h"

using namespace td::cudart;

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return run_call({"cudaDeviceGetDefaultMemPool", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    if (device < 0 || device >= all.count) return cudaErrorInvalidDevice;
    *pool = reinterpret_cast<cudaMemPool_t>(&all.devices[device]);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void*) {
  return pool ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return run_call({"cudaMemPoolGetAttribute", TD_CUDA_CALLER}, [&](State&, Lock&) {
    if (!pool) return cudaErrorInvalidValue;
    const auto& arena = reinterpret_cast<const Device*>(pool)->arena;
    const std::uint64_t used = arena ? arena->used() : 0;
    if (attribute >= cudaMemPoolAttrReservedMemCurrent)
      std::memcpy(value, &used, sizeof used);
    else if (attribute == cudaMemPoolAttrReleaseThreshold)
      std::memset(value, 0, sizeof used);
    else
      *static_cast<int*>(value) = 1;
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return pool ? cudaSuccess : cudaErrorInvalidValue;
}
/// Here all devices can access each other's memory.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* accesses,
                                 std::size_t count) {
  return run_call({"cudaMemPoolSetAccess", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    if (!pool) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i)
      if (accesses[i].location.type != cudaMemLocationTypeDevice || accesses[i].location.id < 0 ||
          accesses[i].location.id >= all.count)
        return cudaErrorInvalidDevice;
    return cudaSuccess;
  });
}

}  // extern "C"
