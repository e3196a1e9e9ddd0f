// A tensor kept for the backward pass. It remembers the version of its memory and refuses to hand
// out a value that was changed in place since.
#pragma once

#include "td/autograd/node.h"

namespace td {

/// `[x = save(x)](Gradients& grads, const Tensor& g) { ... x() ... }`
class Saved {
 public:
  Saved() = default;
  /// The tensor as it was. For a result, a handle that is part of the graph again.
  /// @throws AutogradError when its memory was changed in place since it was saved.
  Tensor operator()() const;

 private:
  friend Saved save(const Tensor&);
  friend Saved save_result(const Tensor&);
  Tensor tensor_;
  std::uint32_t version_ = 0;
  bool result_ = false;  ///< kept without its graph, which would otherwise hold itself alive
};

/// Keeps an input.
Saved save(const Tensor& input);
/// Keeps the (only) result of the operation being recorded.
Saved save_result(const Tensor& result);

}  // namespace td
