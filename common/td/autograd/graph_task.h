// The bookkeeping of one backward pass: which nodes it visits, how many gradients each still waits
// for, and the gradients that have arrived. Kept per thread and reused, so that a training step
// makes no heap call; nothing is written into the nodes, so that threads may share them. Nodes are
// held by the roots of the pass, whose graph reaches them all, and not by the visits.
#pragma once

#include <functional>
#include <vector>

#include "td/autograd/node.h"

namespace td {

/// A node on the way, with the gradients of its outputs as far as they have arrived.
struct Visit {
  Node* node = nullptr;              ///< whose visit it is
  int waiting = 0;                   ///< gradients not yet arrived
  bool needed = true;                ///< leads to a tensor whose gradient was asked for
  SmallVector<Tensor, 1> gradients;  ///< one per output
  std::size_t slot = 0;              ///< its place in the task's table
};

/// The visits of one backward.
class GraphTask : public NodeFilter {
 public:
  /// The visit of `node`, made at the first call. References hold until the next call.
  Visit& visit(Node* node);
  /// The visit of `node`, nullptr when it has none.
  Visit* find(const Node* node);
  /// All of them, in the order they were made. The list may grow while it is walked by index.
  std::vector<Visit>& visits() { return visits_; }
  /// Forgets everything but keeps the memory.
  void clear();

  std::vector<std::function<void()>> callbacks;  ///< for the end of the pass
  bool partial = false;                          ///< only some inputs' gradients are asked for
  bool needs(const Node* node) const override;

 private:
  std::size_t slot_of(const Node* node) const;
  void rehash(std::size_t slots);

  std::vector<Visit> visits_;
  std::vector<std::int32_t> table_;  // open addressing: index into visits_, or -1
};

}  // namespace td
