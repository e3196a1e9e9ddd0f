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

#include <any>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "td/autograd/record.h"

namespace td {

/// A value of any type that forward passes to backward: `ctx->saved_data["k"] = 3;`, and later
/// `ctx->saved_data["k"].toInt()`. libtorch's IValue, as far as autograd functions use it: a
/// number, a string, a tensor, or anything that can be copied.
class IValue {
 public:
  IValue() = default;
  template <class T, class = std::enable_if_t<!std::is_same_v<std::decay_t<T>, IValue>>>
  IValue(T&& value) {
    using V = std::decay_t<T>;
    if constexpr (std::is_arithmetic_v<V>)
      value_ = Scalar(value);
    else if constexpr (std::is_convertible_v<V, std::string>)
      value_ = std::string(value);
    else
      value_ = std::forward<T>(value);
  }

  /// @name The value as what it was put in as. @throws Error when it is something else
  /// @{
  std::int64_t toInt() const { return get<Scalar>("a number").to<std::int64_t>(); }
  double toDouble() const { return get<Scalar>("a number").to<double>(); }
  bool toBool() const { return get<Scalar>("a number").to<bool>(); }
  const Tensor& toTensor() const { return get<Tensor>("a tensor"); }
  const std::string& toStringRef() const { return get<std::string>("a string"); }
  /// Any other type, by its own name.
  template <class T>
  const T& as() const {
    return get<T>("of that type");
  }
  /// @}

 private:
  template <class T>
  const T& get(const char* wanted) const {
    const T* value = std::any_cast<T>(&value_);
    TD_CHECK(Error, value, "saved_data: the value is not ", wanted);
    return *value;
  }
  std::any value_;
};

namespace autograd {

/// libtorch's names for a tensor, and for a list of them.
///@{
using Variable = Tensor;
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
    for (const SavedVariable& s : saved_) all.push_back(s());
    return all;
  }
  /// Results that have no gradient though they are floating point numbers. Backward gets zeros for
  /// them, and for results of integers, which never have one.
  void mark_non_differentiable(const TensorList& results) { non_differentiable_ = results; }
  /// True when the gradient of forward's tensor argument `i` is wanted.
  bool needs_input_grad(std::size_t i) const { return i < needs_.size() && needs_[i]; }

  std::map<std::string, IValue> saved_data;  ///< anything that is not a tensor

 private:
  friend class FunctionCall;
  TensorList to_save_, non_differentiable_;
  std::vector<SavedVariable> saved_;
  std::vector<bool> needs_;
};

/// What Function::apply does before and after forward, whatever the function.
class FunctionCall {
 public:
  using Backward = TensorList(AutogradContext*, TensorList);
  /// @param inputs one an argument of forward; undefined for those that are not tensors.
  explicit FunctionCall(TensorList inputs);
  /// What forward gets.
  AutogradContext* context() const { return context_.get(); }
  /// Records the call, if an argument requires grad. A result that is one of the arguments
  /// becomes a view of it, so that the argument keeps its own place in the graph.
  void join_graph(std::span<Tensor> results, Backward* backward);

 private:
  bool is_differentiable(const Tensor& result) const;
  void settle(Tensor& result, bool differentiable) const;
  void save(std::span<Tensor> results);
  void refuse_changed_inputs() const;

  std::shared_ptr<AutogradContext> context_;
  TensorList inputs_;
  std::vector<std::uint32_t> versions_;  // of the inputs, before forward
  bool recorded_;
};

/// Base of an operation T with static `forward(AutogradContext*, ...)` returning a Tensor or a
/// tensor_list, and `backward(AutogradContext*, tensor_list)`, which gets one gradient for each
/// result, in order, and returns one (or an undefined Tensor) for each argument of forward, tensors
/// or not. The gradient of a result that nobody used is zeros. Forward must not change an argument
/// that requires a gradient.
template <class T>
class Function {
 public:
  /// Runs T::forward on `args`, unrecorded, and records T::backward as its gradient.
  template <class... Args>
  static auto apply(Args&&... args) {
    TensorList inputs;
    (inputs.push_back(tensor_or_none(args)), ...);
    FunctionCall call(std::move(inputs));
    auto results = [&] {
      NoGradGuard no_grad;
      return T::forward(call.context(), std::forward<Args>(args)...);
    }();
    call.join_graph(as_span(results), [](AutogradContext* context, TensorList gradients) {
      return TensorList(T::backward(context, std::move(gradients)));
    });
    return results;
  }

 private:
  template <class A>
  static Tensor tensor_or_none(const A& argument) {
    if constexpr (std::is_same_v<std::decay_t<A>, Tensor>) return argument;
    return {};
  }
  static std::span<Tensor> as_span(Tensor& one) { return {&one, 1}; }
  static std::span<Tensor> as_span(TensorList& many) { return many; }
};

}  // namespace autograd
}  // namespace td
