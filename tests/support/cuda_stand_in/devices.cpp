// The calls about devices, their peer access, and the errors of a thread. Neighbors have peer
// access, so of three GPUs the first and the last have none.
#include <cstdlib>
#include <cstring>

#include "state.h"

using namespace cuda_stand_in;

namespace {

bool is_device(const State& all, int index) { return index >= 0 && index < all.count; }

bool has_road(int from, int to) { return std::abs(from - to) == 1; }

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (all.is_unloaded) return cudaErrorCudartUnloading;
  const cudaError_t error = std::exchange(thread.last_error, cudaSuccess);
  const cudaError_t broken = thread.device < 0 ? cudaSuccess : all.devices[thread.device].broken;
  return broken ? broken : error;
}

cudaError_t cudaGetDeviceCount(int* count) {
  return call("cudaGetDeviceCount", false, [&](State& all, Lock&) {
    if (all.count == 0) return cudaErrorNoDevice;
    *count = all.count;
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }

cudaError_t cudaSetDevice(int index) {
  return call("cudaSetDevice", false, [&](State& all, Lock&) {
    if (!is_device(all, index)) return cudaErrorInvalidDevice;
    Device& device = all.devices[index];
    if (const cudaError_t error = error_of(device)) return error;
    device.has_context = true;
    if (!device.arena) device.arena.emplace(index, all.device_bytes, Arena::Views::kTwo);
    watch_host_accesses();
    thread.device = index;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
  return call("cudaGetDeviceProperties", false, [&](State& all, Lock&) {
    if (!is_device(all, index)) return cudaErrorInvalidDevice;
    *properties = {};
    std::strcpy(properties->name, "Stand-in");
    properties->uuid.bytes[15] = static_cast<char>(index + 1);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int index) {
  return call("cudaDeviceGetAttribute", false, [&](State& all, Lock&) {
    if (!is_device(all, index)) return cudaErrorInvalidDevice;
    switch (attribute) {
      case cudaDevAttrComputeCapabilityMajor:
        return *value = 9, cudaSuccess;
      case cudaDevAttrComputeCapabilityMinor:
        return *value = 0, cudaSuccess;
      case cudaDevAttrPageableMemoryAccess:
        return *value = all.has_pageable_access, cudaSuccess;
      default:
        return refuse(all, "cudaDeviceGetAttribute", "this attribute has no answer");
    }
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call("cudaMemGetInfo", true, [&](State& all, Lock&) {
    const Arena& arena = *all.devices[thread.device].arena;
    *free = arena.capacity() - arena.used();
    *total = arena.capacity();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* possible, int from, int to) {
  return call("cudaDeviceCanAccessPeer", false, [&](State& all, Lock&) {
    if (!is_device(all, from) || !is_device(all, to)) return cudaErrorInvalidDevice;
    *possible = has_road(from, to);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return call("cudaDeviceEnablePeerAccess", true, [&](State& all, Lock&) {
    if (!is_device(all, peer) || !has_road(thread.device, peer)) return cudaErrorInvalidDevice;
    const bool is_new = all.devices[thread.device].peers.insert(peer).second;
    return is_new ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}

}  // extern "C"
