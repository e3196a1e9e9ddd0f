// The graph: a Node is one recorded operation, an Edge says whose gradient it feeds. Nodes are
// made by record() (record.h), walked by the engine (engine.cpp), and held alive by the tensors
// they made.
#pragma once

#include <optional>

#include "td/base/objects.h"
#include "td/tensor/tensor.h"

namespace td {

class Node;
struct AutogradMeta;

/// "The gradient of this input goes to output `output` of `node`." Empty: nobody wants it.
struct Edge {
  intrusive_ptr<Node> node;  ///< where the gradient goes
  std::uint32_t output = 0;  ///< which of its outputs this is the gradient of
  Tensor leaf = {};          ///< the owner of `node` when that is an AccumulateGrad: kept alive
};

/// Says which nodes a partial backward must visit.
class NodeFilter {
 public:
  virtual ~NodeFilter() = default;
  /// True when `node` leads to a tensor whose gradient was asked for.
  virtual bool needs(const Node* node) const = 0;
};

/// What a node hands back: one gradient per input of the forward operation.
class Gradients {
 public:
  /// @param needed when given, tells which nodes lead to a tensor whose gradient was asked for.
  explicit Gradients(const Node& node, const NodeFilter* needed = nullptr);
  /// True when somebody wants the gradient of input `i`.
  bool should_compute(std::size_t i) const;
  /// Calls `make` for the gradient of input `i` only when somebody wants it.
  template <class F>
  void set_lazily(std::size_t i, F&& make) {
    if (should_compute(i)) values_[i] = make();
  }
  /// Memory in which the gradient of input `i` may be written as a whole, where a leaf wants it in
  /// a certain place (grad_buffer): handing back this very tensor saves a copy. Else undefined.
  Tensor home(std::size_t i) const;
  Tensor& operator[](std::size_t i) { return values_[i]; }
  std::size_t size() const { return values_.size(); }

 private:
  const Node& node_;
  const NodeFilter* needed_;
  SmallVector<Tensor, 3> values_;
};

/// Shape, type and place of one output of the forward operation: what its gradient must match, and
/// what a missing gradient is filled in as.
struct OutputInfo {
  Sizes sizes;                ///< its sizes
  ScalarType dtype = kFloat;  ///< its type
  Device device{kCPU};        ///< its place
};

/// One recorded operation.
class Node : public RefCounted, public PooledObject {
 public:
  explicit Node(const char* operation) : name_(operation) {}
  ~Node() override;

  /// The name as it prints: the operation `add` gives `AddBackward0`.
  std::string name() const;
  /// The operation that was recorded, "add"; "sum1" where PyTorch numbers a second form.
  const char* operation() const { return name_; }
  /// Gradients of the inputs from `outputs`, the gradients of the results (undefined ones are
  /// results that nobody used). Called by the engine, once for each backward.
  virtual void apply(SmallVector<Tensor, 1>& outputs, Gradients& inputs) = 0;
  /// Drops the tensors kept for apply. A second backward then gets an error in words.
  virtual void release_saved() {}

  /// @name Filled while recording, read by the engine
  /// @{
  SmallVector<Edge, 3> edges;          ///< one per input of the forward operation
  SmallVector<OutputInfo, 1> outputs;  ///< one per result
  std::uint64_t sequence = 0;          ///< larger for later operations of a thread
  void* stream = nullptr;              ///< stream of the forward operation
  std::vector<std::pair<std::uint32_t, std::pair<unsigned, TensorHook>>> hooks;  ///< by output
  std::vector<std::pair<std::uint32_t, AutogradMeta*>> retained;  ///< by output, for retain_grad
                                                                  /// @}

 private:
  const char* name_;
};

/// Releases a node without recursion, however deep the graph behind it is.
void retire(intrusive_ptr<Node> node);

/// The number that the next recorded operation of this thread gets; grows by one per operation. The
/// engine runs later numbers first. Threads that record parts of one graph (td/parallel) pass it
/// on, so that the engine meets their operations in one order, whatever the threads did before.
extern thread_local constinit std::uint64_t next_sequence;

}  // namespace td
