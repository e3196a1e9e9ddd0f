// AnyModule: a module of any type with its forward, without a common virtual forward; Sequential
// holds these. The forward's arguments are checked when it is called. A module from one tensor to
// one tensor, the usual case, is called directly and costs no more than a virtual call.
#pragma once

#include <any>
#include <tuple>

#include "td/nn/module_holder.h"

namespace td::nn {

namespace detail {

/// The result of a forward as the requested type.
template <class R>
R result_as(const Module& module, std::any value) {
  R* found = std::any_cast<R>(&value);
  TD_CHECK(Error, found, module.name(), "'s forward() returns ", readable(value.type()), ", but ",
           readable(typeid(R)), " was asked for; name the type, as in forward<",
           readable(value.type()), ">(...)");
  return std::move(*found);
}
/// Argument `index` of a forward, which must be a `T`.
template <class T>
T& argument_as(const Module& module, std::size_t index, std::any& value) {
  T* found = std::any_cast<T>(&value);
  TD_CHECK(Error, found, module.name(), "'s forward() takes ", readable(typeid(T)), " as argument ",
           index, ", but received ", readable(value.type()));
  return *found;
}

/// Calls the forward of an `M`, whose type is `Forward`.
template <class M, class Forward>
struct TypedForward;
template <class M, class C, class R, class... A>
struct TypedForward<M, R (C::*)(A...)> {
  /// With one tensor, and a tensor as the result.
  static Tensor call_plain(Module& module, const Tensor& input) {
    if constexpr (std::is_same_v<R(std::decay_t<A>...), Tensor(Tensor)>) {
      return static_cast<M&>(module).forward(input);
    } else {
      std::any value = input;
      return result_as<Tensor>(module, call(module, &value, 1));
    }
  }
  /// With arguments that carry their types.
  static std::any call(Module& module, [[maybe_unused]] std::any* arguments, std::size_t count) {
    constexpr std::size_t wants = sizeof...(A);
    TD_CHECK(Error, count == wants, module.name(), "'s forward() takes ", wants,
             wants == 1 ? " argument" : " arguments", ", but received ", count);
    return [&]<std::size_t... I>(std::index_sequence<I...>)->std::any {
      return static_cast<M&>(module).forward(
          argument_as<std::decay_t<A>>(module, I, arguments[I])...);
    }
    (std::index_sequence_for<A...>());
  }
};
template <class M, class C, class R, class... A>
struct TypedForward<M, R (C::*)(A...) const> : TypedForward<M, R (C::*)(A...)> {};

/// The forward of an `M`; a module whose forward is overloaded names one as `PlainForward`.
template <class M>
auto forward_of() {
  if constexpr (requires { typename M::PlainForward; })
    return typename M::PlainForward();
  else
    return &M::forward;
}
template <class M>
using ForwardOf = TypedForward<M, decltype(forward_of<M>())>;

}  // namespace detail

/// A module of any type. Made from a shared_ptr, a holder or a module value.
class AnyModule {
 public:
  AnyModule() = default;
  template <class M, class = std::enable_if_t<std::is_base_of_v<Module, M>>>
  AnyModule(std::shared_ptr<M> module)
      : module_(std::move(module)),
        call_plain_(&detail::ForwardOf<M>::call_plain),
        call_(&detail::ForwardOf<M>::call) {}
  template <class M>
  AnyModule(const ModuleHolder<M>& holder) : AnyModule(holder.ptr()) {}
  template <class M, class = std::enable_if_t<std::is_base_of_v<Module, std::decay_t<M>>>>
  AnyModule(M&& module) : AnyModule(std::make_shared<std::decay_t<M>>(std::forward<M>(module))) {}

  bool is_empty() const noexcept { return !module_; }
  /// The module as a Module.
  const std::shared_ptr<Module>& ptr() const { return module_; }
  AnyModule clone(const optional<Device>& device = nullopt) const {
    AnyModule copy = *this;
    copy.module_ = module_->clone(device);
    return copy;
  }

  /// Calls forward. @throws Error when number or types of the arguments or the result do not fit.
  template <class R = Tensor, class... Args>
  R forward(Args&&... args) const {
    if constexpr (std::is_same_v<std::tuple<R, std::decay_t<Args>...>,
                                 std::tuple<Tensor, Tensor>>) {
      return plain_forward(args...);
    } else {
      std::any values[sizeof...(Args) + 1] = {std::any(std::decay_t<Args>(args))...};
      return detail::result_as<R>(*module_, any_forward(values, sizeof...(Args)));
    }
  }
  /// Calls forward with one tensor, for one tensor.
  Tensor plain_forward(const Tensor& input) const { return call_plain_(*module_, input); }
  /// Calls forward with arguments that carry their types.
  std::any any_forward(std::any* arguments, std::size_t count) const {
    return call_(*module_, arguments, count);
  }

 private:
  std::shared_ptr<Module> module_;
  Tensor (*call_plain_)(Module&, const Tensor&) = nullptr;
  std::any (*call_)(Module&, std::any*, std::size_t) = nullptr;
};

/// A module with the name it is to have in a Sequential: `{"fc", nn::Linear(10, 5)}`.
struct NamedAnyModule {
  std::string name;  ///< its name in the container
  AnyModule module;  ///< the module
};

}  // namespace td::nn
