// Operations with a gradient of the user's own:
//
//   struct Square : autograd::Function<Square> {
//     static Tensor forward(AutogradContext* ctx, Tensor x) {
//       ctx->save_for_backward({x});
//       return x * x;
//     }
//     static tensor_list backward(AutogradContext* ctx, tensor_list g) {
//       return {g[0] * 2 * ctx->get_saved_variables()[0]};
//     }
//   };
//   y = Square::apply(x);
#pragma once

#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include "td/autograd/record.h"
#include "td/autograd/value.h"

namespace td::autograd {

/// libtorch's names for a list of tensors.
///@{
using tensor_list = TensorList;
using variable_list = TensorList;
///@}

/// Carries values from forward to backward.
class AutogradContext {
 public:
  /// Keeps tensors for backward, arguments or results of forward.
  void save_for_backward(TensorList tensors) { to_save_ = std::move(tensors); }
  /// @throws AutogradError when one was changed in place since forward.
  TensorList get_saved_variables() const {
    TensorList all;
    for (const Saved& s : saved_) all.push_back(s());
    return all;
  }
  /// Results that have no gradient (indices, say).
  void mark_non_differentiable(const TensorList& results) { non_differentiable_ = results; }
  /// True when the gradient of forward's tensor argument `i` is wanted.
  bool needs_input_grad(std::size_t i) const { return i < needs_.size() && needs_[i]; }

  std::map<std::string, IValue> saved_data;  ///< anything that is not a tensor

 private:
  template <class>
  friend class Function;
  TensorList to_save_, non_differentiable_;
  std::vector<Saved> saved_;
  std::vector<bool> needs_;
};

/// Base of an operation T with static `forward(AutogradContext*, ...)` returning a Tensor or a
/// tensor_list, and `backward(AutogradContext*, tensor_list)` returning one gradient (or an
/// undefined Tensor) for each argument of forward, tensors or not.
template <class T>
class Function {
 public:
  /// Runs T::forward on `args`, unrecorded, and records T::backward as its gradient.
  template <class... Args>
  static auto apply(Args&&... args) {
    auto context = std::make_shared<AutogradContext>();
    TensorList inputs;  // one entry an argument; undefined for those that are not tensors
    (inputs.push_back(tensor_or_none(args)), ...);
    const bool recorded = recording(inputs);
    for (const Tensor& input : inputs)
      context->needs_.push_back(input.defined() && input.requires_grad());
    auto results = [&] {
      NoGradGuard no_grad;
      return T::forward(context.get(), std::forward<Args>(args)...);
    }();
    if (recorded) join(context, inputs, results);
    return results;
  }

 private:
  template <class A>
  static Tensor tensor_or_none(const A& argument) {
    if constexpr (std::is_same_v<std::decay_t<A>, Tensor>) return argument;
    return {};
  }
  static TensorList as_list(const Tensor& one) { return {one}; }
  static TensorList as_list(const TensorList& many) { return many; }

  template <class Results>
  static void join(const std::shared_ptr<AutogradContext>& context, const TensorList& inputs,
                   Results& results) {
    TensorList list = as_list(results);
    auto is_result = [&](const Tensor& t) {
      for (const Tensor& r : list)
        if (r.is_same(t)) return true;
      return false;
    };
    for (const Tensor& t : context->to_save_)
      context->saved_.push_back(is_result(t) ? save_result(t) : save(t));
    context->to_save_.clear();
    TensorList differentiable;
    for (const Tensor& r : list) {
      bool excluded = !r.is_floating_point();
      for (const Tensor& n : context->non_differentiable_) excluded = excluded || n.is_same(r);
      if (!excluded) differentiable.push_back(r);
    }
    context->non_differentiable_.clear();
    const std::size_t arguments = inputs.size();
    std::vector<std::pair<Sizes, TensorOptions>> shapes;
    for (const Tensor& r : differentiable) shapes.emplace_back(r.impl().sizes, r.options());
    // Backward multiplies what forward multiplied: it casts as forward did.
    const AutocastMode autocast = thread_state().autocast;
    record(
        "CustomFunction", differentiable, inputs,
        [context, arguments, shapes, autocast](Gradients& grads, SmallVector<Tensor, 1>& outputs) {
          const AutocastModeGuard as_in_forward(autocast);
          // A result that nobody used has a gradient of zeros.
          TensorList g;
          for (Tensor& output : outputs)
            g.push_back(output.defined()
                            ? output
                            : empty(shapes[g.size()].first, shapes[g.size()].second).zero_());
          TensorList back = T::backward(context.get(), std::move(g));
          TD_CHECK(AutogradError, back.size() == arguments, "Function::backward returned ",
                   back.size(), " gradients for ", arguments,
                   " arguments of forward; an undefined Tensor stands for no gradient");
          for (std::size_t i = 0; i < back.size(); ++i)
            if (back[i].defined()) grads.give(i, [&] { return back[i]; });
        });
  }
};

}  // namespace td::autograd
