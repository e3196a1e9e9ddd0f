// The calls about devices and their errors. Invariant: a thread has device 0 until it chooses
// another.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "cuda/device_properties.h"
#include "cuda/report.h"
#include "cuda/state.h"

namespace td::cudart {
namespace {

bool is_device(const State& all, int device) { return device >= 0 && device < all.count; }

cudaError_t reset(State& all, Lock& lock) {
  Device& device = all.devices[thread.device];
  wait_for_device(all, thread.device, lock);
  for (auto at = all.memory.begin(); at != all.memory.end();) {
    const bool ends = at->second.device == thread.device && at->second.kind == Kind::kDevice;
    if (ends) device.arena->release(reinterpret_cast<void*>(at->first));
    at = ends ? all.memory.erase(at) : std::next(at);
  }
  device.error = cudaSuccess;
  return cudaSuccess;
}

cudaError_t synchronize(const Call& call) {
  return run_call(call, [](State& all, Lock& lock) -> cudaError_t {
    Device& device = all.devices[thread.device];
    for (const Stream* stream : device.streams)
      if (stream->capture) return cudaErrorStreamCaptureUnsupported;
    wait_for_device(all, thread.device, lock);
    return device.error;
  });
}

template <class Body>
cudaError_t about_device(const Call& call, int device, Body body) {
  return run_call(call, [&](State& all, Lock&) -> cudaError_t {
    return is_device(all, device) ? body(all) : cudaErrorInvalidDevice;
  });
}

cudaError_t error_of_thread(bool forgets) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  const Device& device = all.devices[thread.device];
  if (thread.error_number) was_asked(std::exchange(thread.error_number, 0));
  const cudaError_t error = thread.last_error;
  if (forgets) thread.last_error = cudaSuccess;
  return device.error ? device.error : error;
}

}  // namespace
}  // namespace td::cudart

using namespace td::cudart;

extern "C" {

cudaError_t cudaGetLastError() { return error_of_thread(true); }
cudaError_t cudaPeekAtLastError() { return error_of_thread(false); }

cudaError_t cudaGetDeviceCount(int* count) {
  return run_call({"cudaGetDeviceCount", TD_CUDA_CALLER, true}, [&](State& all, Lock&) {
    *count = all.count;
    return cudaSuccess;
  });
}
cudaError_t cudaGetDevice(int* device) {
  return run_call({"cudaGetDevice", TD_CUDA_CALLER, true}, [&](State&, Lock&) {
    *device = thread.device;
    return cudaSuccess;
  });
}
cudaError_t cudaSetDevice(int device) {
  return run_call({"cudaSetDevice", TD_CUDA_CALLER, true}, [&](State& all, Lock&) -> cudaError_t {
    if (!is_device(all, device)) return cudaErrorInvalidDevice;
    thread.device = device;
    return all.devices[device].error;
  });
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return about_device({"cudaInitDevice", TD_CUDA_CALLER}, device,
                      [](State&) { return cudaSuccess; });
}
cudaError_t cudaSetDeviceFlags(unsigned flags) { return thread.flags = flags, cudaSuccess; }
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return *flags = thread.flags | cudaDeviceMapHost, cudaSuccess;
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  return *device = 0, cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return about_device({"cudaGetDeviceProperties", TD_CUDA_CALLER, true}, device, [&](State& all) {
    *properties = properties_of(all, device);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  const Call call{"cudaDeviceGetAttribute", TD_CUDA_CALLER, true};
  return about_device(call, device, [&](State& all) -> cudaError_t {
    if (attribute_of(properties_of(all, device), attribute, *value)) return cudaSuccess;
    return not_supported(call, " for this attribute");
  });
}
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to) {
  return about_device({"cudaDeviceGetP2PAttribute", TD_CUDA_CALLER}, from, [&](State& all) {
    *value = is_device(all, to) && from != to && attribute != cudaDevP2PAttrPerformanceRank;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return about_device({"cudaDeviceGetPCIBusId", TD_CUDA_CALLER}, device, [&](State&) {
    std::snprintf(id, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  unsigned bus = 0;
  const bool fits = std::sscanf(id, "%*x:%x:", &bus) == 1;
  return about_device({"cudaDeviceGetByPCIBusId", TD_CUDA_CALLER}, static_cast<int>(bus) - 1,
                      [&](State&) {
                        *device = static_cast<int>(bus) - 1;
                        return fits ? cudaSuccess : cudaErrorInvalidValue;
                      });
}

cudaError_t cudaDeviceSynchronize() {
  return synchronize({"cudaDeviceSynchronize", TD_CUDA_CALLER});
}
cudaError_t cudaThreadSynchronize() {
  return synchronize({"cudaThreadSynchronize", TD_CUDA_CALLER});
}
cudaError_t cudaDeviceReset() { return run_call({"cudaDeviceReset", TD_CUDA_CALLER, true}, reset); }
cudaError_t cudaThreadExit() { return run_call({"cudaThreadExit", TD_CUDA_CALLER, true}, reset); }

// The limits are kept, and the machine has its own.
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return run_call({"cudaDeviceSetLimit", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    all.limits[limit] = value;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return run_call({"cudaDeviceGetLimit", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    constexpr std::size_t kUsual[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
    const auto set = all.limits.find(limit);
    *value = set != all.limits.end() ? set->second : kUsual[std::min<int>(limit, 6)];
    return cudaSuccess;
  });
}

cudaError_t cudaThreadSetLimit(cudaLimit limit, std::size_t value) {
  return cudaDeviceSetLimit(limit, value);
}

// Nothing here depends on these.
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return *config = cudaFuncCachePreferNone, cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return *config = cudaSharedMemBankSizeFourByte, cudaSuccess;
}
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* possible, int device, int peer) {
  return about_device({"cudaDeviceCanAccessPeer", TD_CUDA_CALLER}, device,
                      [&](State& all) -> cudaError_t {
                        if (!is_device(all, peer)) return cudaErrorInvalidDevice;
                        *possible = device != peer;
                        return cudaSuccess;
                      });
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return about_device({"cudaDeviceEnablePeerAccess", TD_CUDA_CALLER}, peer,
                      [&](State& all) -> cudaError_t {
                        if (peer == thread.device) return cudaErrorInvalidDevice;
                        const bool is_new = all.devices[thread.device].peers.insert(peer).second;
                        return is_new ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
                      });
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return about_device(
      {"cudaDeviceDisablePeerAccess", TD_CUDA_CALLER}, peer, [&](State& all) -> cudaError_t {
        return all.devices[thread.device].peers.erase(peer) ? cudaSuccess
                                                            : cudaErrorPeerAccessNotEnabled;
      });
}

cudaError_t cudaDriverGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }

}  // extern "C"
