// How a call of autograd::Function joins the graph. Called by Function::apply before and after
// forward. Invariant: the node has one output for each result, so that gradient i of backward
// belongs to result i.
#include "td/autograd/function.h"

#include <algorithm>

namespace td::autograd {
namespace {

bool is_one_of(const Tensor& tensor, std::span<const Tensor> list) {
  return std::any_of(list.begin(), list.end(), [&](const Tensor& t) { return t.is_same(tensor); });
}

}  // namespace

AutogradContext::AutogradContext(TensorList inputs)
    : inputs_(std::move(inputs)), recorded_(recording(inputs_)) {
  for (const Tensor& input : inputs_) {
    needs_.push_back(input.defined() && input.requires_grad());
    versions_.push_back(input.defined() ? input.impl().storage->version() : 0);
  }
}

// Whether the result is differentiable. A view that forward made has the function's gradient, not a
// view's.
bool AutogradContext::settle(Tensor& result) const {
  if (!result.defined()) return false;
  const bool differentiable =
      recorded_ && result.is_floating_point() && !is_one_of(result, non_differentiable_);
  if (differentiable && is_one_of(result, inputs_)) {
    const NoGradGuard no_grad;
    const Tensor view = result.detach();
    mark_view(view, result);
    result = view;
  }
  if (recorded_ && !differentiable && result.requires_grad()) result = result.detach();
  if (result.impl().unrecorded != Unrecorded::no && !is_one_of(result, inputs_))
    result.impl().unrecorded = Unrecorded::function;
  return differentiable;
}

void AutogradContext::keep_for_backward(std::span<const Tensor> results,
                                        const std::vector<bool>& differentiable) {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    TD_CHECK(
        AutogradError, !needs_[i] || inputs_[i].impl().storage->version() == versions_[i],
        "Function::forward changed argument ", i,
        " in place, which requires a gradient that would now be wrong. Change a clone() of it, "
        "or use the operation that makes a new tensor.");
  for (const Tensor& t : to_save_) {
    std::size_t i = 0;
    while (i < results.size() && !(differentiable[i] && results[i].is_same(t))) ++i;
    const bool is_result = i < results.size();
    saved_.push_back(is_result ? save_result(t, static_cast<std::uint32_t>(i)) : td::save(t));
  }
  to_save_.clear();
  non_differentiable_.clear();
}

// Records the call, if an argument requires grad. A result that is one of the arguments becomes a
// view of it, so that the argument keeps its own node in the graph.
void AutogradContext::join_graph(std::shared_ptr<AutogradContext> context,
                                 std::span<Tensor> results, Backward* backward) {
  std::vector<bool> differentiable;
  for (Tensor& result : results) differentiable.push_back(context->settle(result));
  if (!context->recorded_) return;
  context->keep_for_backward(results, differentiable);
  const TensorList inputs = std::exchange(context->inputs_, {});
  // The backward pass casts as the forward pass did, so it multiplies in the same types.
  auto apply = [context = std::move(context), backward, autocast = td::context().autocast](
                   Gradients& grads, SmallVector<Tensor, 1>& outputs) {
    const AutocastModeGuard as_in_forward(autocast);
    TensorList gradients(outputs.begin(), outputs.end());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const OutputInfo& of = grads.node().outputs[i];
      if (!outputs[i].defined()) gradients[i] = empty_on(of.sizes, of.dtype, of.device).zero_();
    }
    const TensorList back = backward(context.get(), std::move(gradients));
    const std::size_t arguments = grads.node().edges.size();
    TD_CHECK(AutogradError, back.size() == arguments, "Function::backward returned ", back.size(),
             " gradients for ", arguments,
             " arguments of forward; an undefined Tensor stands for no gradient");
    for (std::size_t i = 0; i < arguments; ++i) grads.set_lazily(i, [&] { return back[i]; });
  };
  const intrusive_ptr<Node> node = lambda_node("CustomFunction", inputs, std::move(apply));
  for (std::size_t i = 0; i < results.size(); ++i)
    differentiable[i] ? set_history(node, results[i]) : add_output(*node, results[i]);
}

}  // namespace td::autograd
