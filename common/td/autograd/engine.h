// Runs a graph backwards. Called by Tensor::backward and autograd::grad.
#pragma once

#include "td/autograd/record.h"

namespace td::autograd {

/// Adds to `grad()` of every leaf that `roots` depend on (or only of `inputs`, when given).
/// @param gradients one per root; undefined entries mean 1 for a single-element root.
/// @throws AutogradError for a root without a graph, a freed graph, a changed saved tensor.
void backward(const TensorList& roots, const TensorList& gradients = {},
              optional<bool> retain_graph = nullopt, bool create_graph = false,
              const TensorList& inputs = {});

/// The gradients of `outputs` with respect to `inputs`; leaves' grad() stay as they are.
/// @throws AutogradError for an input that is not part of the graph, unless `allow_unused`.
TensorList grad(const TensorList& outputs, const TensorList& inputs,
                const TensorList& grad_outputs = {}, optional<bool> retain_graph = nullopt,
                bool create_graph = false, bool allow_unused = false);

/// Call it from a hook during backward: `callback` runs once in this thread when the whole pass is
/// done, before backward returns. It is dropped when the pass throws.
/// @throws AutogradError when this thread runs no backward pass.
void queue_callback(std::function<void()> callback);

}  // namespace td::autograd
