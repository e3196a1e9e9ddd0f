// Memory that graphs allocate and release. Invariant: its address does not change from launch to
// launch, and belongs to it until neither the graph nor an executable copy is left.
#include "cuda/graph.h"

namespace td::cudart {
namespace {

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
  if (found != all.memory.end()) found->second.is_alive = is_alive;
}

}  // namespace

cudaError_t work_of_allocation(State& all, const Call& call, void** memory, std::size_t bytes,
                               const Element& element, std::function<void()>& work) {
  const cudaError_t error = make_block(all, call, Kind::kDevice, memory, bytes, element);
  if (error) return error;
  Block& block = all.memory.at(reinterpret_cast<std::uintptr_t>(*memory));
  block.is_of_graph = true;
  block.is_alive = false;
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

}  // extern "C"
