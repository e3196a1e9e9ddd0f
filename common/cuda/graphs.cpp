// Captures and graphs. A launch of a graph is one operation of its stream, which runs the nodes one
// after another. Invariant: as in graph.h.
#include "cuda/graph.h"

#include <algorithm>

#include "cuda/report.h"

namespace td::cudart {

Node* add_node(Graph& graph, cudaGraphNodeType type, std::vector<Node*> after,
               std::function<void()> run) {
  graph.nodes.push_back(std::make_unique<Node>(Node{type, std::move(run), std::move(after)}));
  return graph.nodes.back().get();
}

namespace {

/// An executable graph: copies of the nodes, which later changes of the graph do not reach.
struct Exec {
  struct Step {
    const Node* node;
    std::function<void()> run;
  };
  std::shared_ptr<std::vector<Step>> steps = std::make_shared<std::vector<Step>>();
};

Graph* find_graph(const State& all, cudaGraph_t handle) {
  auto* const graph = reinterpret_cast<Graph*>(handle);
  return all.graphs.count(graph) ? graph : nullptr;
}
Exec* find_exec(const State& all, cudaGraphExec_t handle) {
  return all.execs.count(handle) ? reinterpret_cast<Exec*>(handle) : nullptr;
}

cudaGraph_t keep(State& all, Graph* graph) {
  all.graphs.insert(graph);
  return reinterpret_cast<cudaGraph_t>(graph);
}

std::vector<Node*> nodes_of(const cudaGraphNode_t* nodes, std::size_t count) {
  std::vector<Node*> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(reinterpret_cast<Node*>(nodes[i]));
  return all;
}

template <class Body>
cudaError_t with_graph(const Call& call, cudaGraph_t handle, Body body) {
  return run_call(call, [&](State& all, Lock&) -> cudaError_t {
    Graph* const graph = find_graph(all, handle);
    return graph ? body(all, *graph) : cudaErrorInvalidValue;
  });
}

/// `make(State&, std::function<void()>&)` gives the work of the new node, or an error.
template <class Make>
cudaError_t add(const Call& call, cudaGraphNode_t* node, cudaGraph_t graph,
                const cudaGraphNode_t* after, std::size_t count, cudaGraphNodeType type,
                Make make) {
  return with_graph(call, graph, [&](State& all, Graph& found) -> cudaError_t {
    std::function<void()> work;
    if (const cudaError_t error = make(all, work)) return error;
    *node = reinterpret_cast<cudaGraphNode_t>(
        add_node(found, type, nodes_of(after, count), std::move(work)));
    return cudaSuccess;
  });
}

cudaError_t list(const Graph& graph, cudaGraphNode_t* nodes, std::size_t* count, bool roots) {
  std::vector<Node*> found;
  for (const auto& node : graph.nodes)
    if (!roots || node->after.empty()) found.push_back(node.get());
  if (nodes)
    for (std::size_t i = 0; i < std::min(*count, found.size()); ++i)
      nodes[i] = reinterpret_cast<cudaGraphNode_t>(found[i]);
  *count = found.size();
  return cudaSuccess;
}

std::function<void()> work_of_memset(const cudaMemsetParams& p) {
  return [p] {
    for (std::size_t y = 0; y < std::max<std::size_t>(p.height, 1); ++y) {
      char* const row = static_cast<char*>(p.dst) + y * p.pitch;
      for (std::size_t x = 0; x < p.width; ++x)
        for (unsigned byte = 0; byte < p.elementSize; ++byte)
          row[x * p.elementSize + byte] = static_cast<char>(p.value >> 8 * byte);
    }
  };
}

std::function<void()> work_of_steps(const std::vector<Exec::Step>& steps) {
  return [steps] {
    for (const Exec::Step& step : steps)
      if (step.run) step.run();
  };
}

std::vector<Exec::Step> steps_of(const Graph& graph) {
  std::vector<Exec::Step> steps;
  for (const auto& node : graph.nodes) steps.push_back({node.get(), node->run});
  return steps;
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

/// All streams leave the capture.
void end(State& all, Capture& capture) {
  for (Device& device : all.devices)
    for (Stream* stream : device.streams)
      if (stream->capture == &capture) stream->capture = nullptr;
}

}  // namespace
}  // namespace td::cudart

using namespace td::cudart;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  return run_call(
      {"cudaStreamBeginCapture", TD_CUDA_CALLER}, [&](State& all, Lock&) -> cudaError_t {
        Stream* const stream = find_stream(all, handle);
        if (!stream || stream->is_default) return cudaErrorStreamCaptureUnsupported;
        if (stream->capture) return cudaErrorIllegalState;
        stream->capture = new Capture{stream, new Graph, {}};  // events may hold it after its end
        return cudaSuccess;
      });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return run_call({"cudaStreamEndCapture", TD_CUDA_CALLER}, [&](State& all, Lock&) -> cudaError_t {
    *graph = nullptr;
    Stream* const stream = find_stream(all, handle);
    if (!stream || !stream->capture) return cudaErrorIllegalState;
    Capture& capture = *stream->capture;
    if (capture.origin != stream) return cudaErrorStreamCaptureUnmatched;
    end(all, capture);
    *graph = keep(all, capture.graph);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return run_call({"cudaStreamIsCapturing", TD_CUDA_CALLER}, [&](State& all, Lock&) -> cudaError_t {
    const Stream* const stream = find_stream(all, handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    *status = stream->capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  return run_call({"cudaGraphCreate", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    *graph = keep(all, new Graph);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return with_graph({"cudaGraphDestroy", TD_CUDA_CALLER}, handle, [](State& all, Graph& graph) {
    all.graphs.erase(&graph);
    delete &graph;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t handle) {
  return with_graph({"cudaGraphClone", TD_CUDA_CALLER}, handle, [&](State& all, Graph& graph) {
    auto* const made = new Graph;
    std::map<Node*, Node*> copies;
    for (const auto& node : graph.nodes) {
      std::vector<Node*> after;
      for (Node* const earlier : node->after) after.push_back(copies[earlier]);
      copies[node.get()] = add_node(*made, node->type, std::move(after), node->run);
    }
    *clone = keep(all, made);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaKernelNodeParams* parameters) {
  const Call call{"cudaGraphAddKernelNode", TD_CUDA_CALLER};
  return add(call, node, graph, after, count, cudaGraphNodeTypeKernel,
             [&](State& all, std::function<void()>& work) {
               return work_of_kernel(all, *parameters, call.caller, work);
             });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemcpy3DParms* copy) {
  const Call call{"cudaGraphAddMemcpyNode", TD_CUDA_CALLER};
  return add(call, node, graph, after, count, cudaGraphNodeTypeMemcpy,
             [&](State& all, std::function<void()>& work) {
               return work_of_copy(all, call, *copy, work);
             });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, std::size_t count, void* to,
                                     const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const Call call{"cudaGraphAddMemcpyNode1D", TD_CUDA_CALLER};
  return add(call, node, graph, after, count, cudaGraphNodeTypeMemcpy,
             [&](State& all, std::function<void()>& work) {
               return work_of_copy(all, call, to, from, bytes, kind, work);
             });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemsetParams* parameters) {
  return add({"cudaGraphAddMemsetNode", TD_CUDA_CALLER}, node, graph, after, count,
             cudaGraphNodeTypeMemset, [&](State& all, std::function<void()>& work) {
               work = work_of_memset(*parameters);
               return find_memory(all, parameters->dst, 1).block ? cudaSuccess
                                                                 : cudaErrorInvalidValue;
             });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, std::size_t count,
                                 const cudaHostNodeParams* parameters) {
  return add({"cudaGraphAddHostNode", TD_CUDA_CALLER}, node, graph, after, count,
             cudaGraphNodeTypeHost, [&](State&, std::function<void()>& work) {
               work = [p = *parameters] { p.fn(p.userData); };
               return cudaSuccess;
             });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, std::size_t count) {
  return add({"cudaGraphAddEmptyNode", TD_CUDA_CALLER}, node, graph, after, count,
             cudaGraphNodeTypeEmpty, [](State&, std::function<void()>&) { return cudaSuccess; });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, std::size_t count,
                                       cudaGraph_t child) {
  return add({"cudaGraphAddChildGraphNode", TD_CUDA_CALLER}, node, graph, after, count,
             cudaGraphNodeTypeGraph, [&](State& all, std::function<void()>& work) {
               const Graph* const found = find_graph(all, child);
               if (found) work = work_of_steps(steps_of(*found));
               return found ? cudaSuccess : cudaErrorInvalidValue;
             });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, std::size_t* count) {
  return with_graph({"cudaGraphGetNodes", TD_CUDA_CALLER}, handle,
                    [&](State&, Graph& graph) { return list(graph, nodes, count, false); });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, std::size_t* count) {
  return with_graph({"cudaGraphGetRootNodes", TD_CUDA_CALLER}, handle,
                    [&](State&, Graph& graph) { return list(graph, nodes, count, true); });
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return *type = reinterpret_cast<Node*>(node)->type, cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t handle,
                                          unsigned long long) {
  return with_graph({"cudaGraphInstantiate", TD_CUDA_CALLER}, handle,
                    [&](State& all, Graph& graph) {
                      auto* const exec = new Exec;
                      *exec->steps = steps_of(graph);
                      all.execs.insert(exec);
                      *made = reinterpret_cast<cudaGraphExec_t>(exec);
                      return cudaSuccess;
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

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  return with_graph({"cudaGraphExecUpdate", TD_CUDA_CALLER}, graph,
                    [&](State& all, Graph& found) -> cudaError_t {
                      Exec* const exec = find_exec(all, handle);
                      if (!exec) return cudaErrorInvalidValue;
                      *result = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
                      if (found.nodes.size() != exec->steps->size()) {
                        result->result = cudaGraphExecUpdateErrorTopologyChanged;
                        return cudaErrorGraphExecUpdateFailure;
                      }
                      exec->steps = std::make_shared<std::vector<Exec::Step>>(steps_of(found));
                      return cudaSuccess;
                    });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream) {
  return run_call({"cudaGraphLaunch", TD_CUDA_CALLER}, [&](State& all, Lock&) -> cudaError_t {
    const Exec* const exec = find_exec(all, handle);
    Stream* const found = find_stream(all, stream);
    if (!exec || !found) return cudaErrorInvalidValue;
    enqueue(all, *found, [steps = exec->steps] { work_of_steps (*steps)(); });
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return run_call({"cudaGraphExecDestroy", TD_CUDA_CALLER}, [&](State& all, Lock&) -> cudaError_t {
    Exec* const exec = find_exec(all, handle);
    if (!exec) return cudaErrorInvalidValue;
    all.execs.erase(exec);
    delete exec;
    return cudaSuccess;
  });
}

}  // extern "C"
