// The end of the road: the node that adds a gradient to a leaf's grad().
#pragma once

#include "td/autograd/meta.h"

namespace td {

/// The node behind a leaf: adds what arrives to the leaf's grad(). The leaf owns it, and the edges
/// that lead to it hold the leaf, so that one node serves the leaf for all its life.
class AccumulateGrad final : public Node {
 public:
  explicit AccumulateGrad(const Tensor& leaf);
  void apply(SmallVector<Tensor, 1>& gradient, Gradients& none) override;
  /// The tensor whose gradient it keeps; undefined when that is gone.
  Tensor leaf() const { return Tensor(intrusive_ptr<TensorImpl>(leaf_)); }
  /// The leaf is about to go.
  void forget_leaf() { leaf_ = nullptr; }

 private:
  TensorImpl* leaf_;
};

/// What zero_grad does to one leaf: its gradient becomes undefined, or zeros.
void clear_gradient(const Tensor& leaf, bool set_to_none);
/// `into = into + gradient`, in place where nobody else can see `into`'s memory.
void accumulate(Tensor& into, Tensor gradient);
/// `gradient` summed over the dimensions in which `sizes` was broadcast to it. Defined in ops/, as
/// Tensor's methods are: the engine may not look up.
Tensor sum_to(const Tensor& gradient, IntArrayRef sizes);
/// Nobody but this handle can see the tensor's memory.
bool sole_owner(const Tensor& tensor);

}  // namespace td
