// One backward pass: the nodes it runs, how many gradients each still waits for, the gradients that
// have arrived, and the nodes that are ready. engine.cpp runs it; passes for some inputs only, and
// streams, are in graph_task.cpp. Each thread keeps one and uses it again, so that a training step
// makes no heap allocation. Invariant: nothing is written into the nodes, so that threads may share
// them. The roots of the pass keep the nodes alive, and the tasks do not.
#pragma once

#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "td/autograd/record.h"

namespace td {

/// A node of the pass, with the gradients of its outputs as far as they have arrived.
struct NodeTask {
  Node* node = nullptr;              ///< whose task it is
  int dependencies = 0;              ///< gradients not yet arrived
  bool needed = true;                ///< leads to an input of a partial pass
  SmallVector<Tensor, 1> gradients;  ///< one per output
};

/// An input of a partial pass: its gradient is returned to the caller.
struct Capture {
  Edge edge;        ///< where the input's gradient goes
  Tensor gradient;  ///< undefined until it has arrived
};

/// The tasks of one backward pass.
class GraphTask {
 public:
  using Tensors = std::span<const Tensor>;
  /// The innermost pass of this thread, nullptr outside.
  static GraphTask* current();
  /// Runs the graph of `roots`. `gradients` has one entry per root; an undefined one means 1.
  /// @param captures the inputs of a partial pass; empty when all leaves accumulate.
  /// @param accumulates leaves among the inputs accumulate, and nothing is captured for them.
  void run(Tensors roots, Tensors gradients, bool keep_graph, std::span<Capture> captures,
           bool accumulates);
  /// The task of `node`, nullptr when it has none.
  NodeTask* find(const Node* node);
  /// True when `node` leads to one of the captures.
  bool needs(const Node* node);

  std::vector<std::function<void()>> callbacks;  ///< for the end of the pass

 private:
  struct Running;
  struct RunsLater {
    bool operator()(const NodeTask* a, const NodeTask* b) const {
      return a->node->sequence < b->node->sequence;
    }
  };
  void count_dependencies(std::span<const Edge> roots);
  NodeTask& add(Node* node);
  std::int32_t& slot_of(const Node* node);
  void run_node(NodeTask& task, bool keep_graph);
  bool compute(NodeTask& task, Gradients& results);
  void arrive(NodeTask& task, std::size_t output, Tensor gradient, const Node* producer);
  void clear();
  void restrict_to(std::span<Capture> captures);
  void capture(NodeTask& task);

  std::vector<NodeTask> tasks_;
  std::vector<std::int32_t> table_;  // from nodes to tasks, open addressing: an index, or -1
  std::priority_queue<NodeTask*, std::vector<NodeTask*>, RunsLater> ready_;  // latest first
  std::span<Capture> captures_;
  bool accumulates_ = false;
};

/// Computes the gradients of the graph of `roots`, as GraphTask::run does.
void run_backward(GraphTask::Tensors roots, GraphTask::Tensors gradients,
                  optional<bool> retain_graph, bool create_graph, std::span<Capture> captures = {},
                  bool accumulates = false);

/// @name Streams: a node runs on the stream of its forward operation, and the consumer of a
/// gradient waits for its producer. The cpu has no streams.
/// @{
/// Makes `device`, and the stream that `node` works on there, current for the lifetime of `guard`.
void enter_stream(Device device, const Node& node, std::optional<StreamGuard>& guard);
/// Makes the stream of `consumer` wait for the stream on which `g` was computed, by `producer` or,
/// when that is nullptr, by the caller of the pass; then makes the former current.
void hand_over(const Tensor& g, const Node* producer, const Node& consumer,
               std::optional<StreamGuard>& guard);
/// The caller's current stream waits for `node`: its work comes after all gradients.
void wait_for(const Node& node);
/// @}

}  // namespace td
