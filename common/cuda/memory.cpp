// The calls that allocate and free memory. Memory of a device comes from its arena; pinned and
// managed memory is ordinary memory of the process. Invariant: State::memory holds the blocks that
// were given out, by their begin.
#include <algorithm>
#include <cstring>

#include "cuda/graph.h"
#include "cuda/report.h"
#include "cuda/shadow.h"
#include "simt/device_calls.h"

namespace td::cudart {
namespace {

std::uintptr_t number(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

/// The block that contains the address; where none does, the end of the map.
template <class Blocks>
auto block_around(Blocks& blocks, const void* data) {
  const auto after = blocks.upper_bound(number(data));
  if (after == blocks.begin()) return blocks.end();
  const auto at = std::prev(after);
  return number(data) - at->first < at->second.bytes ? at : blocks.end();
}

}  // namespace

cudaError_t make_block(State& all, const Call& call, Kind kind, void** memory, std::size_t bytes,
                       const Element& element) {
  if (!memory) return cudaErrorInvalidValue;
  *memory = nullptr;
  if (bytes == 0) return kind == Kind::kManaged ? cudaErrorInvalidValue : cudaSuccess;
  void* const made = kind == Kind::kDevice ? all.devices[thread.device].arena->allocate(bytes)
                                           : all.host_arena->allocate(bytes, 0);
  if (!made) return cudaErrorMemoryAllocation;
  Block block{bytes, thread.device, kind, element, call.name, call.caller};
  block.number = ++all.blocks;
  all.memory[number(made)] = block;
  // What was freed there is of no interest any more.
  all.freed.erase(all.freed.lower_bound(number(made)), all.freed.lower_bound(number(made) + bytes));
  if (kind == Kind::kDevice) shadow::begin_block(made, bytes, call.caller);
  *memory = made;
  return cudaSuccess;
}

namespace {

std::string name_of(const Block& block) {
  return "the memory of " + std::string(block.call) + " in " + place_of(block.made);
}

/// Why this cannot be freed.
std::string why_not_freed(const State& all, const void* memory, bool of_host) {
  const auto inside = block_around(all.memory, memory);
  const char* const other = of_host ? "cudaFree" : "cudaFreeHost";
  if (inside != all.memory.end() && inside->first != number(memory))
    return "a pointer into " + name_of(inside->second) + "; free the pointer that it returned";
  if (inside != all.memory.end()) return name_of(inside->second) + "; free it with " + other;
  const auto freed = block_around(all.freed, memory);
  if (freed != all.freed.end())
    return name_of(freed->second) + ", which was freed already in " + place_of(freed->second.freed);
  return of_host ? "memory that cudaMallocHost has not returned; free it as it was made"
                 : "memory that cudaMalloc has not returned; memory of malloc is freed with free, "
                   "and that of new with delete";
}

void forget(State& all, std::uintptr_t begin, const void* caller) {
  constexpr std::size_t kMostFreed = 10000;
  Block block = all.memory.at(begin);
  all.memory.erase(begin);
  block.freed = caller;
  if (all.freed.size() == kMostFreed) all.freed.clear();
  all.freed[begin] = block;
}

void release(State& all, void* memory, const void* caller) {
  const Block block = all.memory.at(number(memory));
  if (block.is_of_graph) return void(all.memory.at(number(memory)).is_alive = false);
  forget(all, number(memory), caller);
  if (block.kind == Kind::kDevice)
    shadow::end_block(memory), all.devices[block.device].arena->release(memory);
  else
    all.host_arena->release(memory);
}

}  // namespace

cudaError_t free_block(State& all, const Call& call, void* memory, bool of_host, Lock& lock) {
  if (!memory) return cudaSuccess;
  const auto found = all.memory.find(number(memory));
  const bool is_of_host = found != all.memory.end() && found->second.kind == Kind::kPinned;
  const bool fits =
      found != all.memory.end() && is_of_host == of_host && found->second.kind != Kind::kRegistered;
  if (!fits) {
    report(call.caller,
           std::string(call.name) + " is given " + why_not_freed(all, memory, of_host));
    return cudaErrorInvalidValue;
  }
  wait_for_device(all, found->second.device, lock);
  if (const cudaError_t error = all.devices[thread.device].error) return error;
  if (all.memory.count(number(memory))) release(all, memory, call.caller);
  return cudaSuccess;
}

Found find_memory(const State& all, const void* data, std::size_t bytes) {
  Found found;
  if (const auto at = block_around(all.memory, data); at != all.memory.end()) {
    found.block = &at->second;
    found.begin = at->first;
    found.is_beyond = bytes > at->second.bytes - (number(data) - at->first);
  } else if (const auto gone = block_around(all.freed, data); gone != all.freed.end()) {
    if (gone->second.kind != Kind::kRegistered) found.freed = &gone->second;
  }
  return found;
}

cudaError_t allocate(const char* call, Kind kind, void** memory, std::size_t bytes,
                     const Element& element, cudaStream_t handle) {
  const Call own{call, TD_CUDA_CALLER};
  if (simt::in_kernel()) {  // its heap
    if (simt::is_reported(memory))
      simt::tell_write(memory, sizeof *memory, simt::AccessForm::kPlain, own.caller);
    *memory = simt::device_malloc(bytes);
    return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
  }
  return run_call(own, [&](State& all, Lock&) -> cudaError_t {
    Stream* const stream = find_stream(all, handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!stream->capture) return make_block(all, own, kind, memory, bytes, element);
    std::function<void()> work;
    const cudaError_t error = work_of_allocation(all, own, memory, bytes, element, work);
    if (!error) enqueue(all, *stream, std::move(work));
    return error;
  });
}

cudaError_t allocate_rows(void** memory, std::size_t* pitch, std::size_t width, std::size_t height,
                          const Element& element) {
  constexpr std::size_t kAlignment = 512;
  const Call own{"cudaMallocPitch", TD_CUDA_CALLER};
  return run_call(own, [&](State& all, Lock&) {
    *pitch = (width + kAlignment - 1) / kAlignment * kAlignment;
    return make_block(all, own, Kind::kDevice, memory, *pitch * height, element);
  });
}

cudaError_t device_pointer(void** pointer, void* host) {
  return run_call({"cudaHostGetDevicePointer", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    *pointer = host;
    const Found found = find_memory(all, host, 1);
    return found.block && !found.is_device() ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t prefetch(const void* memory, std::size_t bytes) {
  return run_call({"cudaMemPrefetchAsync", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    const Found found = find_memory(all, memory, bytes);
    const bool is_managed = found.block && found.block->kind == Kind::kManaged;
    return is_managed && !found.is_beyond ? cudaSuccess : cudaErrorInvalidValue;
  });
}

}  // namespace td::cudart

using namespace td::cudart;

extern "C" {

cudaError_t cudaFree(void* memory) {
  const Call own{"cudaFree", TD_CUDA_CALLER};
  if (td::simt::in_kernel())
    return td::simt::device_free(memory, own.caller) ? cudaSuccess : cudaErrorInvalidValue;
  return run_call(
      own, [&](State& all, Lock& lock) { return free_block(all, own, memory, false, lock); });
}

cudaError_t cudaFreeHost(void* memory) {
  const Call own{"cudaFreeHost", TD_CUDA_CALLER};
  return run_call(own,
                  [&](State& all, Lock& lock) { return free_block(all, own, memory, true, lock); });
}

/// The stream's work comes first, and then nothing uses the memory.
cudaError_t cudaFreeAsync(void* memory, cudaStream_t handle) {
  const Call own{"cudaFreeAsync", TD_CUDA_CALLER};
  return run_call(own, [&](State& all, Lock& lock) -> cudaError_t {
    Stream* const stream = find_stream(all, handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!stream->capture) return free_block(all, own, memory, false, lock);
    enqueue(all, *stream, work_of_free(memory));
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned) {
  const Call own{"cudaHostRegister", TD_CUDA_CALLER};
  return run_call(own, [&](State& all, Lock&) {
    if (!memory || bytes == 0) return cudaErrorInvalidValue;
    if (find_memory(all, memory, 1).block) return cudaErrorHostMemoryAlreadyRegistered;
    all.memory[number(memory)] = {bytes, thread.device, Kind::kRegistered,
                                  {},    own.name,      own.caller};
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* memory) {
  const Call own{"cudaHostUnregister", TD_CUDA_CALLER};
  return run_call(own, [&](State& all, Lock&) {
    const Found found = find_memory(all, memory, 1);
    if (!found.block || found.block->kind != Kind::kRegistered || found.begin != number(memory))
      return cudaErrorHostMemoryNotRegistered;
    all.memory.erase(number(memory));
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* memory) {
  return run_call({"cudaHostGetFlags", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    *flags = cudaHostAllocMapped;
    return find_memory(all, memory, 1).block ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent) {
  constexpr std::size_t kAlignment = 512;
  const Call own{"cudaMalloc3D", TD_CUDA_CALLER};
  return run_call(own, [&](State& all, Lock&) {
    const std::size_t pitch = (extent.width + kAlignment - 1) / kAlignment * kAlignment;
    *memory = {nullptr, pitch, extent.width, extent.height};
    return make_block(all, own, Kind::kDevice, &memory->ptr, pitch * extent.height * extent.depth,
                      {});
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  return run_call({"cudaPointerGetAttributes", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    const Found found = find_memory(all, memory, 1);
    void* const data = const_cast<void*>(memory);
    *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, data};
    if (!found.block) return cudaSuccess;
    attributes->device = found.block->device;
    attributes->devicePointer = data;
    switch (found.block->kind) {
      case Kind::kDevice:
        attributes->type = cudaMemoryTypeDevice;
        attributes->hostPointer = nullptr;
        break;
      case Kind::kManaged:
        attributes->type = cudaMemoryTypeManaged;
        break;
      default:
        attributes->type = cudaMemoryTypeHost;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return run_call({"cudaMemGetInfo", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    const Arena& arena = *all.devices[thread.device].arena;
    *free = arena.capacity() - arena.used();
    *total = arena.capacity();
    return cudaSuccess;
  });
}

}  // extern "C"
