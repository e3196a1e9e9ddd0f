// What autograd stores for one tensor: for a result the node that made it, for a leaf its gradient
// and the node that accumulates into it. It is TensorImpl::autograd, created on demand.
#pragma once

#include <atomic>
#include <mutex>

#include "td/autograd/node.h"

namespace td {

class AccumulateGrad;

/// What the graph knows of a tensor.
struct AutogradMeta : public RefCounted, public PooledObject {
  ~AutogradMeta() override;

  /// Takes the place of output `number` of `node`.
  void set_grad_fn(intrusive_ptr<Node> node, std::uint32_t number);
  /// Lets go of the AccumulateGrad, if there is one; the next graph gets a new one.
  void drop_accumulator();

  intrusive_ptr<Node> grad_fn;  ///< set for results
  std::uint32_t output = 0;     ///< which output of grad_fn this tensor is
  bool retains_grad = false;    ///< a result that keeps its gradient all the same
  Tensor grad;                  ///< of a leaf, or of a result that retains_grad
  /// An undefined grad stands for zeros, which are made when somebody asks for them. What arrives
  /// first can then become the gradient, instead of being added to zeros that had to be written.
  bool grad_is_zero = false;
  /// Where a leaf's gradient is to be kept: its place in memory that others share, such as one of
  /// DDP's buckets. Undefined: wherever the gradient was made.
  Tensor grad_buffer;
  std::vector<std::pair<unsigned, TensorHook>> hooks;                    ///< of a leaf
  std::vector<std::pair<unsigned, PostAccumulateHook>> post_accumulate;  ///< of a leaf
  /// A leaf's own AccumulateGrad, made when a graph first needs it.
  std::atomic<AccumulateGrad*> accumulator{nullptr};
  std::mutex mutex;  ///< held while accumulator changes, and while grad is added to
  /// A view knows what it looks into, so that an in-place change of it reaches the base's graph.
  Tensor base;
  std::uint32_t view_version = 0;  ///< version of the memory for which grad_fn is right
};

/// The record of a tensor, nullptr when it has none.
inline AutogradMeta* find_meta(const Tensor& tensor) {
  return static_cast<AutogradMeta*>(tensor.impl().autograd.get());
}
/// The record of a tensor, made when it has none.
AutogradMeta& meta_of(const Tensor& tensor);

/// Where the gradient of `tensor` goes: its grad_fn, or the AccumulateGrad of a leaf that wants a
/// gradient, or nowhere.
Edge gradient_edge(const Tensor& tensor);

/// The node of a leaf: accumulates what arrives into the leaf's grad(). The leaf owns it, and the
/// edges that lead to it hold the leaf, so that one node serves the leaf for all its life.
class AccumulateGrad final : public Node {
 public:
  explicit AccumulateGrad(const Tensor& leaf);
  void apply(SmallVector<Tensor, 1>& gradient, Gradients& none) override;
  /// The tensor whose gradient it keeps; undefined when that is gone.
  Tensor leaf() const { return Tensor(intrusive_ptr<TensorImpl>(leaf_)); }
  /// The leaf is about to be destroyed.
  void forget_leaf() { leaf_ = nullptr; }

 private:
  TensorImpl* leaf_;
};

/// What zero_grad does to one leaf: its gradient becomes undefined, or zeros.
void clear_gradient(const Tensor& leaf, bool set_to_none);
/// `into = into + gradient`, in place where no other handle can see `into`'s memory.
void accumulate(Tensor& into, Tensor gradient);
/// `gradient` summed over the dimensions in which `sizes` was broadcast to it.
Tensor sum_to(const Tensor& gradient, IntArrayRef sizes);
/// True when no other handle can see the tensor's memory.
bool sole_owner(const Tensor& tensor);

}  // namespace td
