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

Graph* find_graph(const State& all, cudaGraph_t handle) {
  auto* const graph = reinterpret_cast<Graph*>(handle);
  return all.graphs.count(graph) ? graph : nullptr;
}
Exec* find_exec(const State& all, cudaGraphExec_t handle) {
  return all.execs.count(handle) ? reinterpret_cast<Exec*>(handle) : nullptr;
}

std::function<void()> work_of_steps(const std::vector<Exec::Step>& steps) {
  return [steps] {
    for (const Exec::Step& step : steps)
      if (step.run) step.run();
  };
}

std::vector<Exec::Step> steps_of(const Graph& graph) {
  std::vector<Exec::Step> steps;
  for (const auto& work : graph.beginnings) steps.push_back({nullptr, work});
  for (const auto& node : graph.nodes) steps.push_back({node.get(), node->run});
  return steps;
}

namespace {

cudaGraph_t keep(State& all, Graph* graph) {
  all.graphs.insert(graph);
  return reinterpret_cast<cudaGraph_t>(graph);
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
        auto* const graph = new Graph;
        keep(all, graph);
        stream->capture = new Capture{stream, graph, {}};  // events may hold it after its end
        return cudaSuccess;
      });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return run_call({"cudaStreamEndCapture", TD_CUDA_CALLER}, [&](State& all, Lock&) -> cudaError_t {
    if (graph) *graph = nullptr;
    Stream* const stream = find_stream(all, handle);
    if (!stream || !stream->capture) return cudaErrorIllegalState;
    Capture& capture = *stream->capture;
    if (capture.origin != stream) return cudaErrorStreamCaptureUnmatched;
    end(all, capture);
    if (graph) *graph = reinterpret_cast<cudaGraph_t>(capture.graph);
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
    made->beginnings = graph.beginnings;
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

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  return with_graph({"cudaGraphExecUpdate", TD_CUDA_CALLER}, graph,
                    [&](State& all, Graph& found) -> cudaError_t {
                      Exec* const exec = find_exec(all, handle);
                      if (!exec) return cudaErrorInvalidValue;
                      *result = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
                      if (found.nodes.size() + found.beginnings.size() != exec->steps->size()) {
                        result->result = cudaGraphExecUpdateErrorTopologyChanged;
                        return cudaErrorGraphExecUpdateFailure;
                      }
                      exec->steps = std::make_shared<std::vector<Exec::Step>>(steps_of(found));
                      return cudaSuccess;
                    });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream) {
  const Call call{"cudaGraphLaunch", TD_CUDA_CALLER};
  return run_call(call, [&](State& all, Lock&) -> cudaError_t {
    const Exec* const exec = find_exec(all, handle);
    Stream* const found = find_stream(all, stream);
    if (!exec || !found) return cudaErrorInvalidValue;
    enqueue(
        all, *found, [steps = exec->steps] { work_of_steps (*steps)(); }, call);
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
