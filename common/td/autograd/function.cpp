// How a call of autograd::Function joins the graph. Called by Function::apply before and after
// forward. Invariant: the node has one output for each result, so that backward's gradients have
// the results' numbers.
#include "td/autograd/function.h"

#include <algorithm>

namespace td::autograd {
namespace {

bool is_one_of(const Tensor& tensor, std::span<const Tensor> list) {
  return std::any_of(list.begin(), list.end(), [&](const Tensor& t) { return t.is_same(tensor); });
}

}  // namespace

FunctionCall::FunctionCall(TensorList inputs)
    : context_(std::make_shared<AutogradContext>()),
      inputs_(std::move(inputs)),
      recorded_(recording(inputs_)) {
  for (const Tensor& input : inputs_) {
    context_->needs_.push_back(input.defined() && input.requires_grad());
    versions_.push_back(input.defined() ? input.impl().storage->version() : 0);
  }
}

bool FunctionCall::is_differentiable(const Tensor& result) const {
  return recorded_ && result.is_floating_point() &&
         !is_one_of(result, context_->non_differentiable_);
}

// A view that forward made has the function's gradient, not a view's.
void FunctionCall::settle(Tensor& result, bool differentiable) const {
  if (!result.defined()) return;
  if (differentiable && is_one_of(result, inputs_)) {
    const NoGradGuard no_grad;
    const TensorImpl& argument = result.impl();
    const Tensor view = alias(result, argument.sizes, argument.strides, argument.offset);
    mark_view(view, result);
    result = view;
  }
  if (recorded_ && !differentiable && result.requires_grad()) result = result.detach();
  if (result.impl().unrecorded != Unrecorded::no && !is_one_of(result, inputs_))
    result.impl().unrecorded = Unrecorded::function;
}

void FunctionCall::save(std::span<Tensor> results) {
  for (const Tensor& t : context_->to_save_)
    context_->saved_.push_back(is_one_of(t, results) ? save_result(t) : td::save(t));
  context_->to_save_.clear();
}

void FunctionCall::refuse_changed_inputs() const {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    TD_CHECK(
        AutogradError, !context_->needs_[i] || inputs_[i].impl().storage->version() == versions_[i],
        "Function::forward changed argument ", i,
        " in place, which requires a gradient that would now be wrong. Change a clone() of it, "
        "or use the operation that makes a new tensor.");
}

void FunctionCall::join_graph(std::span<Tensor> results, Backward* backward) {
  std::vector<bool> differentiable;
  for (const Tensor& result : results) differentiable.push_back(is_differentiable(result));
  for (std::size_t i = 0; i < results.size(); ++i) settle(results[i], differentiable[i]);
  context_->non_differentiable_.clear();
  if (!recorded_) return;
  refuse_changed_inputs();
  save(results);
  std::vector<std::pair<Sizes, TensorOptions>> shapes;
  for (const Tensor& r : results) shapes.emplace_back(r.impl().sizes, r.options());
  // Backward multiplies what forward multiplied: it casts as forward did.
  const AutocastMode autocast = thread_state().autocast;
  auto apply = [context = context_, backward, shapes, autocast, arguments = inputs_.size()](
                   Gradients& grads, SmallVector<Tensor, 1>& outputs) {
    const AutocastModeGuard as_in_forward(autocast);
    TensorList gradients;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      gradients.push_back(outputs[i].defined() ? outputs[i]
                                               : empty(shapes[i].first, shapes[i].second).zero_());
    const TensorList back = backward(context.get(), std::move(gradients));
    TD_CHECK(AutogradError, back.size() == arguments, "Function::backward returned ", back.size(),
             " gradients for ", arguments,
             " arguments of forward; an undefined Tensor stands for no gradient");
    for (std::size_t i = 0; i < back.size(); ++i)
      if (back[i].defined()) grads.set_lazily(i, [&] { return back[i]; });
  };
  const intrusive_ptr<Node> node = lambda_node("CustomFunction", std::move(apply));
  SmallVector<const Tensor*, 8> inputs;
  for (const Tensor& input : inputs_) inputs.push_back(&input);
  set_next_edges(*node, inputs.begin(), inputs.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    differentiable[i] ? set_history(node, results[i]) : add_output(*node, results[i]);
}

}  // namespace td::autograd
