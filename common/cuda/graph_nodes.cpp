// The calls that make and change nodes of graphs. Invariant: what a node does is checked when it is
// made.
#include <algorithm>

#include "cuda/graph.h"
#include "cuda/shadow.h"

namespace td::cudart {
namespace {

std::function<void()> work_of_memset(const cudaMemsetParams& p) {
  return [p] {
    for (std::size_t y = 0; y < std::max<std::size_t>(p.height, 1); ++y) {
      char* const row = static_cast<char*>(p.dst) + y * p.pitch;
      shadow::touch(row, p.width * p.elementSize, shadow::Use::kWrite);
      for (std::size_t x = 0; x < p.width; ++x)
        for (unsigned byte = 0; byte < p.elementSize; ++byte)
          row[x * p.elementSize + byte] = static_cast<char>(p.value >> 8 * byte);
    }
  };
}

/// Changes the work of a node of an executable graph. A launch that is still queued keeps its own.
template <class Make>
cudaError_t change(const Call& call, cudaGraphExec_t handle, cudaGraphNode_t node, Make make) {
  return run_call(call, [&](State& all, Lock&) -> cudaError_t {
    Exec* const exec = find_exec(all, handle);
    if (!exec) return cudaErrorInvalidValue;
    auto changed = std::make_shared<std::vector<Exec::Step>>(*exec->steps);
    for (Exec::Step& step : *changed) {
      if (step.node != reinterpret_cast<Node*>(node)) continue;
      const cudaError_t error = make(all, step.run);
      if (!error) exec->steps = std::move(changed);
      return error;
    }
    return cudaErrorInvalidValue;
  });
}

}  // namespace
}  // namespace td::cudart

using namespace td::cudart;

extern "C" {

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaKernelNodeParams* parameters) {
  const Call call{"cudaGraphAddKernelNode", TD_CUDA_CALLER};
  return add_node(call, node, graph, after, count, cudaGraphNodeTypeKernel,
                  [&](State& all, std::function<void()>& work) {
                    return work_of_kernel(all, *parameters, call.caller, work);
                  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemcpy3DParms* copy) {
  const Call call{"cudaGraphAddMemcpyNode", TD_CUDA_CALLER};
  return add_node(call, node, graph, after, count, cudaGraphNodeTypeMemcpy,
                  [&](State& all, std::function<void()>& work) {
                    return work_of_copy(all, call, *copy, work);
                  });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, std::size_t count, void* to,
                                     const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const Call call{"cudaGraphAddMemcpyNode1D", TD_CUDA_CALLER};
  return add_node(call, node, graph, after, count, cudaGraphNodeTypeMemcpy,
                  [&](State& all, std::function<void()>& work) {
                    return work_of_copy(all, call, to, from, bytes, kind, work);
                  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemsetParams* parameters) {
  return add_node({"cudaGraphAddMemsetNode", TD_CUDA_CALLER}, node, graph, after, count,
                  cudaGraphNodeTypeMemset, [&](State& all, std::function<void()>& work) {
                    work = work_of_memset(*parameters);
                    return find_memory(all, parameters->dst, 1).block ? cudaSuccess
                                                                      : cudaErrorInvalidValue;
                  });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, std::size_t count,
                                 const cudaHostNodeParams* parameters) {
  return add_node({"cudaGraphAddHostNode", TD_CUDA_CALLER}, node, graph, after, count,
                  cudaGraphNodeTypeHost, [&](State&, std::function<void()>& work) {
                    work = [p = *parameters] { p.fn(p.userData); };
                    return cudaSuccess;
                  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, std::size_t count) {
  return add_node({"cudaGraphAddEmptyNode", TD_CUDA_CALLER}, node, graph, after, count,
                  cudaGraphNodeTypeEmpty,
                  [](State&, std::function<void()>&) { return cudaSuccess; });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, std::size_t count,
                                       cudaGraph_t child) {
  return add_node({"cudaGraphAddChildGraphNode", TD_CUDA_CALLER}, node, graph, after, count,
                  cudaGraphNodeTypeGraph, [&](State& all, std::function<void()>& work) {
                    const Graph* const found = find_graph(all, child);
                    if (found) work = work_of_steps(steps_of(*found));
                    return found ? cudaSuccess : cudaErrorInvalidValue;
                  });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  const Call call{"cudaGraphExecKernelNodeSetParams", TD_CUDA_CALLER};
  return change(call, exec, node, [&](State& all, std::function<void()>& work) {
    return work_of_kernel(all, *parameters, call.caller, work);
  });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* copy) {
  const Call call{"cudaGraphExecMemcpyNodeSetParams", TD_CUDA_CALLER};
  return change(call, exec, node, [&](State& all, std::function<void()>& work) {
    return work_of_copy(all, call, *copy, work);
  });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes,
                                               cudaMemcpyKind kind) {
  const Call call{"cudaGraphExecMemcpyNodeSetParams1D", TD_CUDA_CALLER};
  return change(call, exec, node, [&](State& all, std::function<void()>& work) {
    return work_of_copy(all, call, to, from, bytes, kind, work);
  });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return change({"cudaGraphExecMemsetNodeSetParams", TD_CUDA_CALLER}, exec, node,
                [&](State&, std::function<void()>& work) {
                  work = work_of_memset(*parameters);
                  return cudaSuccess;
                });
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return change({"cudaGraphExecHostNodeSetParams", TD_CUDA_CALLER}, exec, node,
                [&](State&, std::function<void()>& work) {
                  work = [p = *parameters] { p.fn(p.userData); };
                  return cudaSuccess;
                });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters) {
  const Call call{"cudaGraphKernelNodeSetParams", TD_CUDA_CALLER};
  return run_call(call, [&](State& all, Lock&) {
    return work_of_kernel(all, *parameters, call.caller, reinterpret_cast<Node*>(node)->run);
  });
}

}  // extern "C"
