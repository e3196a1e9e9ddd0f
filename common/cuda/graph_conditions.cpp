// Conditional nodes, whose graphs run depending on a value that kernels set, and captures into
// graphs that exist. Invariant: a value lives until neither its graph nor an executable copy is
// left.
#include <atomic>

#include "cuda/graph.h"
#include "cuda/report.h"

namespace td::cudart {
namespace {

/// What a handle means.
struct Condition {
  std::atomic<unsigned> value{0};
};
/// Conditions by handle. Guarded by the runtime's lock.
std::map<cudaGraphConditionalHandle, std::weak_ptr<Condition>>& conditions() {
  static auto& all = *new std::map<cudaGraphConditionalHandle, std::weak_ptr<Condition>>;
  return all;
}

/// A graph of a conditional node, which the program fills after it has made the node.
std::shared_ptr<Graph> make_body(State& all) {
  std::shared_ptr<Graph> body(new Graph, [&all](Graph* graph) {
    all.graphs.erase(graph);
    delete graph;
  });
  all.graphs.insert(body.get());
  return body;
}

/// The graphs of a node, and their handles for the program.
struct Bodies {
  std::vector<std::shared_ptr<Graph>> graphs;
  std::vector<cudaGraph_t> handles;
};

std::function<void()> work_of(std::shared_ptr<Condition> condition, std::shared_ptr<Bodies> bodies,
                              cudaGraphConditionalNodeType type) {
  return [condition, bodies, type] {
    const auto run = [&](std::size_t body) {
      if (body < bodies->graphs.size()) work_of_steps(steps_of(*bodies->graphs[body]))();
    };
    const unsigned value = condition->value;
    if (type == cudaGraphCondTypeIf) run(value != 0 ? 0 : 1);
    if (type == cudaGraphCondTypeSwitch) run(value);
    if (type == cudaGraphCondTypeWhile)
      while (condition->value != 0) run(0);
  };
}

cudaError_t work_of_condition(State& all, cudaConditionalNodeParams& parameters,
                              std::function<void()>& work) {
  const auto condition = conditions()[parameters.handle].lock();
  const bool is_known = parameters.type >= cudaGraphCondTypeIf &&
                        parameters.type <= cudaGraphCondTypeSwitch && parameters.size > 0;
  if (!condition || !is_known) return cudaErrorInvalidValue;
  const auto bodies = std::make_shared<Bodies>();
  for (unsigned i = 0; i < parameters.size; ++i) {
    bodies->graphs.push_back(make_body(all));
    bodies->handles.push_back(reinterpret_cast<cudaGraph_t>(bodies->graphs[i].get()));
  }
  parameters.phGraph_out = bodies->handles.data();
  work = work_of(condition, bodies, parameters.type);
  return cudaSuccess;
}

}  // namespace
}  // namespace td::cudart

using namespace td::cudart;

extern "C" {

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData* edges, std::size_t count,
                             cudaGraphNodeParams* p) {
  const Call call{"cudaGraphAddNode", TD_CUDA_CALLER};
  return add_node(call, node, graph, after, count, p->type,
                  [&](State& all, std::function<void()>& work) -> cudaError_t {
                    if (edges) return not_supported(call, " with data of edges");
                    switch (p->type) {
                      case cudaGraphNodeTypeKernel:
                        return work_of_kernel(all, p->kernel, call.caller, work);
                      case cudaGraphNodeTypeMemAlloc:
                        return work_of_allocation(all, call, &p->alloc.dptr, p->alloc.bytesize, {},
                                                  work);
                      case cudaGraphNodeTypeConditional:
                        return work_of_condition(all, p->conditional, work);
                      case cudaGraphNodeTypeEmpty:
                        return cudaSuccess;
                      default:
                        return not_supported(call, " with this type of node");
                    }
                  });
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned value, unsigned flags) {
  return with_graph({"cudaGraphConditionalHandleCreate", TD_CUDA_CALLER}, graph,
                    [&](State&, Graph& found) {
                      const auto condition = std::make_shared<Condition>();
                      *handle = reinterpret_cast<std::uintptr_t>(condition.get());
                      conditions()[*handle] = condition;
                      const bool assigns = flags & cudaGraphCondAssignDefault;
                      found.beginnings.push_back([condition, value, assigns] {
                        if (assigns) condition->value = value;
                      });
                      return cudaSuccess;
                    });
}

void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) {
  const std::lock_guard lock(state().mutex);
  const auto found = conditions().find(handle);
  if (found == conditions().end()) return;
  if (const auto condition = found->second.lock()) condition->value = value;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t handle, cudaGraph_t graph,
                                          const cudaGraphNode_t* after,
                                          const cudaGraphEdgeData* edges, std::size_t count,
                                          cudaStreamCaptureMode) {
  const Call call{"cudaStreamBeginCaptureToGraph", TD_CUDA_CALLER};
  return with_graph(call, graph, [&](State& all, Graph& found) -> cudaError_t {
    Stream* const stream = find_stream(all, handle);
    if (edges) return not_supported(call, " with data of edges");
    if (!stream || stream->is_default) return cudaErrorStreamCaptureUnsupported;
    if (stream->capture) return cudaErrorIllegalState;
    stream->capture = new Capture{stream, &found, {}};
    auto& tips = stream->capture->tips[stream];
    for (std::size_t i = 0; i < count; ++i) tips.push_back(reinterpret_cast<Node*>(after[i]));
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** after, const cudaGraphEdgeData** edges,
                                     std::size_t* count) {
  return run_call({"cudaStreamGetCaptureInfo", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    Stream* const stream = find_stream(all, handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    *status = stream->capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (!stream->capture) return cudaSuccess;
    const std::vector<Node*>& tips = stream->capture->tips[stream];
    if (id) *id = reinterpret_cast<std::uintptr_t>(stream->capture);
    if (graph) *graph = reinterpret_cast<cudaGraph_t>(stream->capture->graph);
    if (after) *after = reinterpret_cast<const cudaGraphNode_t*>(tips.data());
    if (edges) *edges = nullptr;
    if (count) *count = tips.size();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* after,
                                                const cudaGraphEdgeData* edges, std::size_t count,
                                                unsigned flags) {
  const Call call{"cudaStreamUpdateCaptureDependencies", TD_CUDA_CALLER};
  return run_call(call, [&](State& all, Lock&) -> cudaError_t {
    Stream* const stream = find_stream(all, handle);
    if (edges) return not_supported(call, " with data of edges");
    if (!stream || !stream->capture) return cudaErrorIllegalState;
    std::vector<Node*>& tips = stream->capture->tips[stream];
    if (flags == cudaStreamSetCaptureDependencies) tips.clear();
    for (std::size_t i = 0; i < count; ++i) tips.push_back(reinterpret_cast<Node*>(after[i]));
    return cudaSuccess;
  });
}

}  // extern "C"
