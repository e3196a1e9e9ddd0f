// The bookkeeping of one backward pass, next to engine.cpp: which nodes it runs, how many gradients
// each still waits for, the gradients that have arrived, and the nodes that are ready. Kept per
// thread and reused, so that a training step makes no heap allocation. Invariant: nothing is
// written into the nodes, so that threads may share them. Nodes are held by the roots of the pass,
// whose graph reaches them all, and not by the tasks.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "td/autograd/node.h"

namespace td {

/// A node of the pass, with the gradients of its outputs as far as they have arrived.
struct NodeTask {
  Node* node = nullptr;              ///< whose task it is
  int dependencies = 0;              ///< gradients not yet arrived
  bool needed = true;                ///< leads to an input of a partial pass
  SmallVector<Tensor, 1> gradients;  ///< one per output
  std::size_t slot = 0;              ///< its index in the hash table
};

/// An input of a partial pass: its gradient is returned to the caller, and no leaf accumulates.
struct Capture {
  Edge edge;
  Tensor gradient;
};

/// The tasks of one backward pass.
class GraphTask : public NodeFilter {
 public:
  /// The task of `node`, made at the first call. References hold until the next call.
  NodeTask& add(Node* node);
  /// The task of `node`, nullptr when it has none.
  NodeTask* find(const Node* node);
  /// All of them, in the order they were made. The list may grow while it is walked by index.
  std::vector<NodeTask>& tasks() { return tasks_; }
  /// Drops everything but keeps the memory.
  void clear();

  /// @name Tasks whose gradients are complete, the latest operation first
  /// @{
  void push_ready(NodeTask& task);
  NodeTask* pop_ready();  ///< nullptr when there is none
  /// @}

  /// @name Partial passes, which compute the gradients of some inputs only
  /// @{
  /// Runs only nodes that lead to one of `captures`. Call it when all tasks are added.
  void restrict_to(std::span<Capture> captures);
  /// Stores the gradients of the task that the caller asked for.
  void capture(NodeTask& task);
  bool is_partial() const { return !captures_.empty(); }
  bool needs(const Node* node) const override;
  /// False for a node that is not run, although its gradients may be captured.
  bool runs(const NodeTask& task) const {
    return !is_partial() || (task.needed && !task.node->edges.empty());
  }
  /// @}

  std::vector<std::function<void()>> callbacks;  ///< for the end of the pass

  /// The task of the innermost pass of this thread, nullptr outside.
  static GraphTask* current();

 private:
  std::size_t slot_of(const Node* node) const;
  void rehash(std::size_t slots);

  std::vector<NodeTask> tasks_;
  std::vector<std::int32_t> table_;   // open addressing: index into tasks_, or -1
  SmallVector<NodeTask*, 16> ready_;  // a heap, the latest operation on top
  std::span<Capture> captures_;
};

/// Borrows this thread's GraphTask for one pass. A pass inside a pass, which a hook may start, gets
/// one of its own.
class GraphTaskLease {
 public:
  GraphTaskLease();
  ~GraphTaskLease();
  GraphTaskLease(const GraphTaskLease&) = delete;
  GraphTaskLease& operator=(const GraphTaskLease&) = delete;
  GraphTask& task() { return *task_; }

 private:
  GraphTask *task_, *outer_;
};

}  // namespace td
