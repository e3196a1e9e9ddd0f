// Memory that graphs allocate and release. Invariant: its address does not change from launch to
// launch, and belongs to it until neither the graph nor an executable copy is left.
#include <algorithm>
#include <cstring>

#include "cuda/graph.h"

namespace td::cudart {
namespace {

/// The bytes that the graphs of a device have reserved, or those that are allocated now.
std::uint64_t bytes_of_graphs(const State& all, int device, bool is_used) {
  std::uint64_t sum = 0;
  for (const auto& [begin, block] : all.memory)
    if (block.is_of_graph && block.device == device && (block.is_alive || !is_used))
      sum += block.bytes;
  return sum;
}

void note_most_bytes(State& all, int device) {
  for (const bool is_used : {false, true}) {
    std::uint64_t& most = all.devices[device].most_graph_bytes[is_used];
    most = std::max(most, bytes_of_graphs(all, device, is_used));
  }
}

/// What the work of an allocation holds. Its last copy is destroyed with the runtime's lock held.
class GraphMemory {
 public:
  GraphMemory(State& all, void* memory) : all_(all), memory_(memory) {}
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  ~GraphMemory() {
    const auto found = all_.memory.find(reinterpret_cast<std::uintptr_t>(memory_));
    if (found == all_.memory.end()) return;  // cudaDeviceReset has released it
    found->second.is_of_graph = false;       // from now on cudaFree releases it
    if (found->second.is_alive) return;
    all_.devices[found->second.device].arena->release(memory_);
    all_.memory.erase(found);
  }

 private:
  State& all_;
  void* const memory_;
};

void set_alive(State& all, void* memory, bool is_alive) {
  const std::lock_guard lock(all.mutex);
  const auto found = all.memory.find(reinterpret_cast<std::uintptr_t>(memory));
  if (found == all.memory.end()) return;
  found->second.is_alive = is_alive;
  note_most_bytes(all, found->second.device);
}

}  // namespace

cudaError_t work_of_allocation(State& all, const Call& call, void** memory, std::size_t bytes,
                               const Element& element, std::function<void()>& work) {
  const cudaError_t error = make_block(all, call, Kind::kDevice, memory, bytes, element);
  if (error) return error;
  Block& block = all.memory.at(reinterpret_cast<std::uintptr_t>(*memory));
  block.is_of_graph = true;
  block.is_alive = false;
  note_most_bytes(all, block.device);
  auto held = std::make_shared<GraphMemory>(all, *memory);
  work = [held, &all, made = *memory] { set_alive(all, made, true); };
  return cudaSuccess;
}

std::function<void()> work_of_free(void* memory) {
  return [memory] { set_alive(state(), memory, false); };
}

}  // namespace td::cudart

using namespace td::cudart;

extern "C" {

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, std::size_t count,
                                     cudaMemAllocNodeParams* parameters) {
  const Call call{"cudaGraphAddMemAllocNode", TD_CUDA_CALLER};
  return add_node(call, node, graph, after, count, cudaGraphNodeTypeMemAlloc,
                  [&](State& all, std::function<void()>& work) {
                    return work_of_allocation(all, call, &parameters->dptr, parameters->bytesize,
                                              {}, work);
                  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* after, std::size_t count, void* memory) {
  return add_node({"cudaGraphAddMemFreeNode", TD_CUDA_CALLER}, node, graph, after, count,
                  cudaGraphNodeTypeMemFree, [&](State& all, std::function<void()>& work) {
                    work = work_of_free(memory);
                    const Found found = find_memory(all, memory, 1);
                    return found.block && found.block->is_of_graph ? cudaSuccess
                                                                   : cudaErrorInvalidValue;
                  });
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  return run_call({"cudaDeviceGetGraphMemAttribute", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    if (device < 0 || device >= all.count) return cudaErrorInvalidDevice;
    const bool is_used = attribute <= cudaGraphMemAttrUsedMemHigh;
    const bool is_most =
        attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    const std::uint64_t bytes = is_most ? all.devices[device].most_graph_bytes[is_used]
                                        : bytes_of_graphs(all, device, is_used);
    std::memcpy(value, &bytes, sizeof bytes);
    return cudaSuccess;
  });
}

/// Programs may set the highest values so far to zero, from where they begin again.
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  return run_call({"cudaDeviceSetGraphMemAttribute", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    if (device < 0 || device >= all.count) return cudaErrorInvalidDevice;
    const bool is_used = attribute == cudaGraphMemAttrUsedMemHigh;
    std::uint64_t bytes;
    std::memcpy(&bytes, value, sizeof bytes);
    if (bytes != 0 || (!is_used && attribute != cudaGraphMemAttrReservedMemHigh))
      return cudaErrorInvalidValue;
    all.devices[device].most_graph_bytes[is_used] = bytes_of_graphs(all, device, is_used);
    return cudaSuccess;
  });
}

/// Nothing is kept for later launches that no graph needs.
cudaError_t cudaDeviceGraphMemTrim(int device) {
  return run_call({"cudaDeviceGraphMemTrim", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    return device < 0 || device >= all.count ? cudaErrorInvalidDevice : cudaSuccess;
  });
}

}  // extern "C"
