// Operations with a user-defined gradient:
//
//   struct Square : autograd::Function<Square> {
//     static Tensor forward(autograd::AutogradContext* ctx, Tensor x) {
//       ctx->save_for_backward({x});
//       return x * x;
//     }
//     static TensorList backward(autograd::AutogradContext* ctx, TensorList g) {
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

  /// @name The value in the type that it was stored with. @throws Error when it has another type
  /// @{
  std::int64_t toInt() const { return as<Scalar>("a number").to<std::int64_t>(); }
  double toDouble() const { return as<Scalar>("a number").to<double>(); }
  bool toBool() const { return as<Scalar>("a number").to<bool>(); }
  const Tensor& toTensor() const { return as<Tensor>("a tensor"); }
  const std::string& toStringRef() const { return as<std::string>("a string"); }
  /// Any other type, named as T.
  template <class T>
  const T& as(const char* wanted = "of that type") const {
    const T* value = std::any_cast<T>(&value_);
    TD_CHECK(Error, value, "saved_data: the value is not ", wanted);
    return *value;
  }
  /// @}

 private:
  std::any value_;
};

namespace autograd {

/// libtorch's names for a tensor, and for a list of them.
///@{
using Variable = Tensor;
using tensor_list = TensorList;
using variable_list = TensorList;
///@}

/// Carries values from forward to backward, and joins the call with the graph.
class AutogradContext {
 public:
  /// @param inputs one per argument of forward; undefined for those that are not tensors.
  explicit AutogradContext(TensorList inputs);
  /// Saves arguments or results of forward for backward.
  void save_for_backward(TensorList tensors) { to_save_ = std::move(tensors); }
  /// Returns what was saved. @throws AutogradError when one was modified in place since forward.
  TensorList get_saved_variables() const {
    TensorList all;
    for (const SavedVariable& s : saved_) all.push_back(s());
    return all;
  }
  /// Marks floating point results that have no gradient. Backward gets zeros for them and for
  /// integer results, which never have one.
  void mark_non_differentiable(const TensorList& results) { non_differentiable_ = results; }

  std::map<std::string, IValue> saved_data;  ///< anything that needs no check of its version

 private:
  template <class T>
  friend class Function;
  using Backward = TensorList(AutogradContext*, TensorList);
  static void join_graph(std::shared_ptr<AutogradContext> context, std::span<Tensor> results,
                         Backward* backward);
  bool settle(Tensor& result) const;
  void keep_for_backward(std::span<const Tensor> results, const std::vector<bool>& differentiable);

  TensorList inputs_, to_save_, non_differentiable_;  // empty after forward
  std::vector<SavedVariable> saved_;
  std::vector<bool> needs_;
  std::vector<std::uint32_t> versions_;  // of the inputs, before forward
  bool recorded_;
};

/// Base of an operation T with static `forward(AutogradContext*, ...)` returning a Tensor or a
/// TensorList, and `backward(AutogradContext*, TensorList)`, which gets one gradient for each
/// result, in order, and returns one (or an undefined Tensor) for each argument of forward, tensors
/// or not. The gradient of a result that was not used is zeros. Forward must not change an argument
/// that requires grad.
template <class T>
class Function {
 public:
  /// Runs T::forward on `args` without gradient tracking, and records T::backward as its gradient.
  template <class... Args>
  static auto apply(Args&&... args) {
    auto context = std::make_shared<AutogradContext>(TensorList{tensor_or_none(args)...});
    auto results = [&] {
      NoGradGuard no_grad;
      return T::forward(context.get(), std::forward<Args>(args)...);
    }();
    const auto backward = [](AutogradContext* ctx, TensorList gradients) {
      return TensorList(T::backward(ctx, std::move(gradients)));
    };
    AutogradContext::join_graph(std::move(context), as_span(results), backward);
    return results;
  }

 private:
  template <class A>
  static Tensor tensor_or_none(const A& argument) {
    if constexpr (std::is_same_v<A, Tensor>) return argument;
    return {};
  }
  static std::span<Tensor> as_span(Tensor& one) { return {&one, 1}; }
  static std::span<Tensor> as_span(TensorList& many) { return many; }
};

}  // namespace autograd
}  // namespace td
