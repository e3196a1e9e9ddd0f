// Graphs and their nodes. Streams that are captured add nodes, and so does the program.
//
// Invariant: a node comes after earlier nodes of its graph only, so their order is one in which
// they can run.
#pragma once

#include "cuda/state.h"

namespace td::cudart {

struct Node {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::function<void()> run;
  std::vector<Node*> after;
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::function<void()>> beginnings;  ///< what a launch does before all nodes
};

/// An executable graph: copies of the nodes, which later changes of the graph do not reach.
struct Exec {
  struct Step {
    const Node* node;
    std::function<void()> run;
  };
  std::shared_ptr<std::vector<Step>> steps = std::make_shared<std::vector<Step>>();
};

/// The graphs of handles; nullptr where there is none.
///@{
Graph* find_graph(const State& all, cudaGraph_t handle);
Exec* find_exec(const State& all, cudaGraphExec_t handle);
///@}
std::vector<Exec::Step> steps_of(const Graph& graph);
std::function<void()> work_of_steps(const std::vector<Exec::Step>& steps);

template <class Body>
cudaError_t with_graph(const Call& call, cudaGraph_t handle, Body body) {
  return run_call(call, [&](State& all, Lock&) -> cudaError_t {
    Graph* const graph = find_graph(all, handle);
    return graph ? body(all, *graph) : cudaErrorInvalidValue;
  });
}

Node* add_node(Graph& graph, cudaGraphNodeType type, std::vector<Node*> after,
               std::function<void()> run);
/// What the calls do that add a node. `make(State&, std::function<void()>&)` gives its work, or an
/// error.
template <class Make>
cudaError_t add_node(const Call& call, cudaGraphNode_t* node, cudaGraph_t graph,
                     const cudaGraphNode_t* after, std::size_t count, cudaGraphNodeType type,
                     Make make) {
  return with_graph(call, graph, [&](State& all, Graph& found) -> cudaError_t {
    std::function<void()> work;
    if (const cudaError_t error = make(all, work)) return error;
    std::vector<Node*> earlier;
    for (std::size_t i = 0; i < count; ++i) earlier.push_back(reinterpret_cast<Node*>(after[i]));
    *node = reinterpret_cast<cudaGraphNode_t>(
        add_node(found, type, std::move(earlier), std::move(work)));
    return cudaSuccess;
  });
}

/// The work of a launch with these parameters, or an error.
cudaError_t work_of_kernel(State& all, const cudaKernelNodeParams& parameters, const void* caller,
                           std::function<void()>& work);
/// The work of an allocation, whose address is known now, and of a release.
///@{
cudaError_t work_of_allocation(State& all, const Call& call, void** memory, std::size_t bytes,
                               const Element& element, std::function<void()>& work);
std::function<void()> work_of_free(void* memory);
///@}
/// The work of a copy of so many bytes, after its checks.
cudaError_t work_of_copy(State& all, const Call& call, void* to, const void* from,
                         std::size_t bytes, cudaMemcpyKind kind, std::function<void()>& work);
cudaError_t work_of_copy(State& all, const Call& call, const cudaMemcpy3DParms& copy,
                         std::function<void()>& work);

}  // namespace td::cudart
