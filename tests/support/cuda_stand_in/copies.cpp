// The calls that copy. A copy to pageable memory runs as late as any other work, so that a missing
// wait is found; the source of a copy from pageable memory is read by the call itself, unless
// devices have access to it. Invariant: both sides of a queued copy exist.
#include <cstring>

#include "uses.h"

namespace cuda_stand_in {
namespace {

std::uintptr_t number(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
  Found target, source;
};

Copy find_sides(const State& all, void* to, const void* from, std::size_t bytes) {
  return {to, from, bytes, find_memory(all, to, bytes), find_memory(all, from, bytes)};
}

cudaError_t check_sides(State& all, const char* call, const Copy& copy) {
  const auto& [to, from, bytes, target, source] = copy;
  if (!to || !from || bytes == 0) return refuse(all, call, "it copies 0 bytes, or at address 0");
  if (target.was_freed || source.was_freed)
    return refuse(all, call, "memory of the device was freed");
  if (number(to) < number(from) + bytes && number(from) < number(to) + bytes)
    return refuse(all, call, "the two sides overlap");
  return target.is_beyond || source.is_beyond ? cudaErrorInvalidValue : cudaSuccess;
}

/// Which devices' memory a copy on the stream uses.
cudaError_t check_devices(State& all, const Copy& copy, const Stream& stream) {
  bool is_here = false, is_elsewhere = false;
  for (const Found& side : {copy.target, copy.source})
    if (side.block && !side.block->is_pinned)
      (side.block->device == stream.device ? is_here : is_elsewhere) = true;
  if (is_here && is_elsewhere)
    return refuse(all, "cudaMemcpyAsync", "memory of two devices; use cudaMemcpyPeerAsync");
  return is_elsewhere ? cudaErrorInvalidResourceHandle : cudaSuccess;
}

Operation operation_of(const State& all, const char* name, const Copy& copy) {
  Operation operation{name, {}, {}};
  if (!copy.source.is_pageable()) operation.uses.push_back({copy.from, copy.bytes, false});
  if (!copy.target.is_pageable()) operation.uses.push_back({copy.to, copy.bytes, true});
  const void* from = device_view(copy.from);
  std::shared_ptr<char[]> staged;
  if (copy.source.is_pageable() && !all.has_pageable_access) {
    staged = std::make_shared_for_overwrite<char[]>(copy.bytes);
    std::memcpy(staged.get(), copy.from, copy.bytes);
    from = staged.get();
  }
  operation.run = [to = device_view(copy.to), from, staged, bytes = copy.bytes](bool) {
    std::memcpy(to, from, bytes);
    return true;
  };
  return operation;
}

}  // namespace
}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t handle) {
  constexpr const char* kName = "cudaMemcpyAsync";
  watch_host_accesses();
  return call(kName, true, [&](State& all, Lock& lock) {
    if (kind != cudaMemcpyDefault) return refuse(all, kName, "the core uses cudaMemcpyDefault");
    const Copy copy = find_sides(all, to, from, bytes);
    if (const cudaError_t error = check_sides(all, kName, copy)) return error;
    Stream& stream = stream_of(all, handle);
    if (const cudaError_t error = check_devices(all, copy, stream)) return error;
    if (stream.capture && (copy.target.is_pageable() || copy.source.is_pageable()))
      return refuse(all, kName, "pageable memory in a capture");
    return put_operation(all, kName, stream, operation_of(all, "a copy", copy), lock);
  });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t handle) {
  constexpr const char* kName = "cudaMemcpyPeerAsync";
  return call(kName, true, [&](State& all, Lock& lock) {
    for (const int device : {to_device, from_device})
      if (device < 0 || device >= all.count) return cudaErrorInvalidDevice;
    const Copy copy = find_sides(all, to, from, bytes);
    if (const cudaError_t error = check_sides(all, kName, copy)) return error;
    const auto is_of = [](const Found& side, int device) {
      return side.block && !side.block->is_pinned && side.block->device == device;
    };
    if (!is_of(copy.target, to_device) || !is_of(copy.source, from_device))
      return cudaErrorInvalidValue;
    return put_operation(all, kName, stream_of(all, handle),
                         operation_of(all, "a copy between GPUs", copy), lock);
  });
}

}  // extern "C"
