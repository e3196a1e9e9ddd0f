// The stand-in's memory. A device's is mapped from the host for each cudaMalloc and unmapped by
// cudaFree, so that a use after that ends the process; it begins as NaN in every floating type.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "state.h"

namespace cuda_stand_in {

const Memory* memory_of(State& all, const void* data, std::size_t bytes, bool* beyond) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  auto after = all.memory.upper_bound(at);
  if (after == all.memory.begin()) return nullptr;
  --after;
  if (at - after->first >= after->second.bytes) return nullptr;
  const bool fits = at - after->first + bytes <= after->second.bytes;
  if (beyond && !fits) *beyond = true;
  return fits ? &after->second : nullptr;
}

namespace {

std::uintptr_t number(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

bool is_captured(const State& all, int device) {
  for (const Capture* capture : all.captures)
    if (capture->origin->device == device) return true;
  return false;
}

/// The copy itself, where both sides were found to be right.
cudaError_t put_copy(State& all, void* to, const void* from, std::size_t bytes, Stream& stream,
                     std::unique_lock<std::mutex>& lock) {
  if (number(to) < number(from) + bytes && number(from) < number(to) + bytes)
    return refuse(all, "a copy", "the two sides overlap");
  return put(
      stream, [=] { std::memcpy(to, from, bytes); }, lock);
}

}  // namespace
}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call("cudaMemGetInfo", true, [&](State& all, auto&) {
    const Device& device = all.devices[thread.device];
    *free = device.bytes - device.used;
    *total = device.bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return call("cudaMalloc", true, [&](State& all, auto&) {
    if (bytes == 0) return refuse(all, "cudaMalloc", "no bytes were asked for");
    Device& device = all.devices[thread.device];
    if (bytes > device.bytes - device.used) return cudaErrorMemoryAllocation;
    void* const block =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return cudaErrorMemoryAllocation;
    std::memset(block, 0xFF, bytes);
    all.memory[number(block)] = {bytes, thread.device, false};
    device.used += bytes;
    *memory = block;
    return cudaSuccess;
  });
}

cudaError_t cudaFree(void* memory) {
  return call("cudaFree", true, [&](State& all, auto&) {
    const auto found = all.memory.find(number(memory));
    if (found == all.memory.end() || found->second.is_pinned) return cudaErrorInvalidValue;
    if (is_captured(all, found->second.device))
      return refuse(all, "cudaFree", "a graph is being captured on the device");
    munmap(memory, found->second.bytes);
    all.devices[found->second.device].used -= found->second.bytes;
    all.memory.erase(found);
    return cudaSuccess;
  });
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  return call("cudaHostAlloc", true, [&](State& all, auto&) {
    if (flags != cudaHostAllocPortable) return refuse(all, "cudaHostAlloc", "not portable");
    void* const block = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!block) return cudaErrorMemoryAllocation;
    all.memory[number(block)] = {bytes, thread.device, true};
    *memory = block;
    return cudaSuccess;
  });
}

cudaError_t cudaFreeHost(void* memory) {
  return call("cudaFreeHost", true, [&](State& all, auto&) {
    const auto found = all.memory.find(number(memory));
    if (found == all.memory.end() || !found->second.is_pinned) return cudaErrorInvalidValue;
    if (!all.captures.empty())
      return refuse(all, "cudaFreeHost", "a graph is being captured, and this waits for devices");
    std::free(memory);
    all.memory.erase(found);
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* data) {
  return call("cudaPointerGetAttributes", true, [&](State& all, auto&) {
    const Memory* const block = memory_of(all, data, 1, nullptr);
    *attributes = {};
    attributes->type = !block             ? cudaMemoryTypeUnregistered
                       : block->is_pinned ? cudaMemoryTypeHost
                                          : cudaMemoryTypeDevice;
    attributes->device = block ? block->device : -2;
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t handle) {
  return call("cudaMemcpyAsync", true, [&](State& all, auto& lock) {
    if (kind != cudaMemcpyDefault || bytes == 0)
      return refuse(all, "cudaMemcpyAsync", "only cudaMemcpyDefault, and not of 0 bytes");
    bool beyond = false;
    const Memory* const target = memory_of(all, to, bytes, &beyond);
    const Memory* const source = memory_of(all, from, bytes, &beyond);
    if (beyond) return cudaErrorInvalidValue;
    Stream& stream = stream_of(all, handle);
    int here = 0, elsewhere = 0;
    for (const Memory* side : {target, source})
      if (side && !side->is_pinned) ++(side->device == stream.device ? here : elsewhere);
    if (elsewhere && here)
      return refuse(all, "cudaMemcpyAsync", "memory of two devices; use cudaMemcpyPeerAsync");
    if (elsewhere) return cudaErrorInvalidResourceHandle;
    if (stream.capture && !(target && source))
      return refuse(all, "cudaMemcpyAsync", "pageable memory in a capture");
    const cudaError_t error = put_copy(all, to, from, bytes, stream, lock);
    // To pageable memory the call returns only once the copy is done.
    if (!target) all.changed.wait(lock, [&] { return !stream.held; });
    return error;
  });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t handle) {
  return call("cudaMemcpyPeerAsync", true, [&](State& all, auto& lock) {
    const Memory* const target = memory_of(all, to, bytes, nullptr);
    const Memory* const source = memory_of(all, from, bytes, nullptr);
    if (!target || !source || target->device != to_device || source->device != from_device)
      return cudaErrorInvalidValue;
    return put_copy(all, to, from, bytes, stream_of(all, handle), lock);
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* possible, int from, int to) {
  return call("cudaDeviceCanAccessPeer", false, [&](State& all, auto&) {
    if (from < 0 || to < 0 || from >= all.count || to >= all.count) return cudaErrorInvalidDevice;
    *possible = from != to;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return call("cudaDeviceEnablePeerAccess", true, [&](State& all, auto&) {
    if (peer < 0 || peer >= all.count || peer == thread.device) return cudaErrorInvalidDevice;
    const bool is_new = all.devices[thread.device].peers.insert(peer).second;
    return is_new ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}

}  // extern "C"
