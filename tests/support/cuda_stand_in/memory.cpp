// The calls that allocate and free memory. Memory of a device comes from its arena; pinned
// memory is an ordinary mapping, so that a use after its end ends the process.
// Invariant: State::memory holds the blocks that were given out, by their begin.
#include <sys/mman.h>

#include "scheduler.h"
#include "uses.h"

namespace cuda_stand_in {

Found find_memory(const State& all, const void* data, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  const auto after = all.memory.upper_bound(at);
  Found found;
  if (after != all.memory.begin()) {
    const auto& [begin, block] = *std::prev(after);
    const std::uintptr_t offset = at - begin;
    if (offset < block.bytes) {
      found.begin = begin;
      found.is_beyond = bytes > block.bytes - offset;
      found.block = found.is_beyond ? nullptr : &block;
      return found;
    }
  }
  found.was_freed = arena_of(data) >= 0;
  return found;
}

namespace {

std::uintptr_t number(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

bool is_captured(const State& all, int device) {
  for (const Capture* capture : all.captures)
    if (capture->origin->device == device) return true;
  return false;
}

/// The block that begins there; null: none.
const Memory* block_at(const State& all, const void* memory, bool is_pinned) {
  const auto found = all.memory.find(number(memory));
  return found != all.memory.end() && found->second.is_pinned == is_pinned ? &found->second
                                                                           : nullptr;
}

/// An operation that uses the block and that the host does not know to be done.
cudaError_t check_unused(State& all, const char* call, const void* memory, std::size_t bytes) {
  const Access* const use =
      later_than(all.accesses, all.host, number(memory), number(memory) + bytes);
  if (!use) return cudaSuccess;
  return refuse(all, call,
                "the memory is still used by \"" + *use->name + "\" on " +
                    name_of(*all.streams[use->stream]) + ", for which the host did not wait");
}

void forget(State& all, const void* memory, std::size_t bytes) {
  all.accesses.filter(number(memory), number(memory) + bytes, [](Access&) { return false; });
  all.memory.erase(number(memory));
}

/// The devices that cudaFree waits for: the memory's own, and those with peer access to it.
std::vector<MarkPtr> work_beside(const State& all, int device) {
  std::vector<MarkPtr> marks;
  const std::set<int>& peers = all.devices[device].peers;
  for (const Stream* stream : all.streams)
    if ((stream->device == device || peers.count(stream->device)) && !stream->capture)
      marks.push_back(mark_here(all, *stream));
  return marks;
}

void* map(std::size_t bytes) {
  void* const block =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return block == MAP_FAILED ? nullptr : block;
}

}  // namespace
}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return call("cudaMalloc", true, [&](State& all, Lock&) {
    if (bytes == 0) return refuse(all, "cudaMalloc", "no bytes were asked for");
    void* const block = all.devices[thread.device].arena->allocate(bytes);
    if (!block) return cudaErrorMemoryAllocation;
    all.memory[number(block)] = {bytes, thread.device, false, ++all.generations,
                                 !all.captures.empty()};
    *memory = block;
    return cudaSuccess;
  });
}

cudaError_t cudaFree(void* memory) {
  return call("cudaFree", true, [&](State& all, Lock& lock) {
    const Memory* const block = block_at(all, memory, false);
    if (!block) return cudaErrorInvalidValue;
    const std::size_t bytes = block->bytes;
    const int index = block->device;
    if (is_captured(all, index))
      return refuse(all, "cudaFree", "a graph is being captured on the device");
    Device& device = all.devices[index];
    wait_for(all, work_beside(all, index), device, lock);
    if (const cudaError_t error = pending_error(device)) return error;
    if (!block_at(all, memory, false)) return cudaErrorInvalidValue;
    if (const cudaError_t error = check_unused(all, "cudaFree", memory, bytes)) return error;
    device.arena->release(memory);
    forget(all, memory, bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  return call("cudaHostAlloc", true, [&](State& all, Lock&) {
    if (flags != cudaHostAllocPortable) return refuse(all, "cudaHostAlloc", "not portable");
    if (bytes == 0) return refuse(all, "cudaHostAlloc", "no bytes were asked for");
    void* const block = map(bytes);
    if (!block) return cudaErrorMemoryAllocation;
    all.memory[number(block)] = {bytes, thread.device, true, ++all.generations};
    *memory = block;
    return cudaSuccess;
  });
}

cudaError_t cudaFreeHost(void* memory) {
  return call("cudaFreeHost", true, [&](State& all, Lock&) {
    const Memory* const block = block_at(all, memory, true);
    if (!block) return cudaErrorInvalidValue;
    if (!all.captures.empty())
      return refuse(all, "cudaFreeHost", "a graph is being captured, and this waits for devices");
    const std::size_t bytes = block->bytes;
    if (const cudaError_t error = check_unused(all, "cudaFreeHost", memory, bytes)) return error;
    forget(all, memory, bytes);
    munmap(memory, bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* data) {
  return call("cudaPointerGetAttributes", true, [&](State& all, Lock&) {
    const Found found = find_memory(all, data, 1);
    if (found.was_freed)
      return refuse(all, "cudaPointerGetAttributes", "the memory of the device was freed");
    *attributes = {};
    attributes->type = !found.block             ? cudaMemoryTypeUnregistered
                       : found.block->is_pinned ? cudaMemoryTypeHost
                                                : cudaMemoryTypeDevice;
    attributes->device = found.block ? found.block->device : -2;
    return cudaSuccess;
  });
}

}  // extern "C"
