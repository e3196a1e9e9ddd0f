// A module of any type with its forward, without a common virtual forward: what Sequential holds.
// The forward's arguments are checked when it is called. A module from one tensor to one tensor,
// the usual case, is called directly and costs no more than a virtual call.
#pragma once

#include <any>
#include <tuple>
#include <typeinfo>

#include "td/nn/module_holder.h"

namespace td::nn {

namespace detail {

[[noreturn]] void wrong_argument_count(const Module& module, std::size_t wants, std::size_t got);
[[noreturn]] void wrong_argument_type(const Module& module, std::size_t index,
                                      const std::type_info& wants, const std::type_info& got);
[[noreturn]] void wrong_result_type(const Module& module, const std::type_info& wants,
                                    const std::type_info& got);

/// The types in `R forward(Args...)`.
template <class Signature>
struct ForwardTraits;
template <class C, class R, class... A>
struct ForwardTraits<R (C::*)(A...)> {
  using Result = R;
  using Arguments = std::tuple<std::decay_t<A>...>;
};
template <class C, class R, class... A>
struct ForwardTraits<R (C::*)(A...) const> : ForwardTraits<R (C::*)(A...)> {};

/// The type of `&M::forward`; a module whose forward is overloaded names one as `PlainForward`.
template <class M>
struct ForwardOf {
  using type = decltype(&M::forward);
};
template <class M>
requires requires { typename M::PlainForward; }
struct ForwardOf<M> {
  using type = typename M::PlainForward;
};

/// How a forward of unknown type is called.
struct AnyForward {
  virtual ~AnyForward() = default;
  virtual bool takes_one_tensor() const = 0;
  /// Valid when takes_one_tensor().
  virtual Tensor forward(const Tensor& input) = 0;
  virtual std::any forward(std::any* arguments, std::size_t count) = 0;
  virtual std::shared_ptr<AnyForward> rebind(std::shared_ptr<Module> module) const = 0;
};

template <class M>
class TypedForward final : public AnyForward {
  using Traits = ForwardTraits<typename ForwardOf<M>::type>;
  using Arguments = typename Traits::Arguments;
  static constexpr std::size_t kCount = std::tuple_size_v<Arguments>;
  static constexpr bool kPlain = std::is_same_v<Arguments, std::tuple<Tensor>> &&
                                 std::is_same_v<typename Traits::Result, Tensor>;

 public:
  explicit TypedForward(std::shared_ptr<M> module) : module_(std::move(module)) {}
  bool takes_one_tensor() const override { return kPlain; }
  Tensor forward([[maybe_unused]] const Tensor& input) override {
    if constexpr (kPlain)
      return module_->forward(input);
    else
      return {};
  }
  std::any forward(std::any* arguments, std::size_t count) override {
    if (count != kCount) wrong_argument_count(*module_, kCount, count);
    return call(arguments, std::make_index_sequence<kCount>{});
  }
  std::shared_ptr<AnyForward> rebind(std::shared_ptr<Module> module) const override {
    return std::make_shared<TypedForward>(std::dynamic_pointer_cast<M>(module));
  }

 private:
  template <std::size_t... I>
  std::any call([[maybe_unused]] std::any* arguments, std::index_sequence<I...>) {
    return module_->forward(argument<I>(arguments[I])...);
  }
  template <std::size_t I>
  std::tuple_element_t<I, Arguments>& argument(std::any& value) {
    using T = std::tuple_element_t<I, Arguments>;
    T* found = std::any_cast<T>(&value);
    if (!found) wrong_argument_type(*module_, I, typeid(T), value.type());
    return *found;
  }

  std::shared_ptr<M> module_;
};

}  // namespace detail

/// A module of any type. Made from a shared_ptr, a holder or a module value.
class AnyModule {
 public:
  AnyModule() = default;
  template <class M, class = std::enable_if_t<std::is_base_of_v<Module, M>>>
  AnyModule(std::shared_ptr<M> module)
      : module_(module), forward_(std::make_shared<detail::TypedForward<M>>(module)) {}
  template <class M>
  AnyModule(const ModuleHolder<M>& holder) : AnyModule(holder.ptr()) {}
  template <class M, class = std::enable_if_t<std::is_base_of_v<Module, std::decay_t<M>>>>
  AnyModule(M&& module) : AnyModule(std::make_shared<std::decay_t<M>>(std::forward<M>(module))) {}

  bool is_empty() const noexcept { return !module_; }
  /// The module as a Module.
  const std::shared_ptr<Module>& ptr() const { return module_; }
  /// The module as a `T`. @throws Error when it is another type.
  template <class T>
  T& get() const {
    T* found = module_ ? module_->as<T>() : nullptr;
    TD_CHECK(Error, found, "AnyModule: the module is ", module_ ? module_->name() : "empty",
             ", which is not the type asked for");
    return *found;
  }
  AnyModule clone(const optional<Device>& device = nullopt) const {
    AnyModule copy;
    copy.module_ = module_->clone(device);
    copy.forward_ = forward_->rebind(copy.module_);
    return copy;
  }

  /// True when forward takes one Tensor.
  bool takes_one_tensor() const { return forward_->takes_one_tensor(); }
  /// Calls forward with one Tensor.
  Tensor forward_tensor(const Tensor& input) const { return forward_->forward(input); }
  /// Calls forward with arguments that carry their types.
  std::any any_forward(std::any* arguments, std::size_t count) const {
    return forward_->forward(arguments, count);
  }
  /// Calls forward. @throws Error when number or types of the arguments or the result do not fit.
  template <class R = Tensor, class... Args>
  R forward(Args&&... args) const {
    std::any values[sizeof...(Args) + 1] = {std::any(std::decay_t<Args>(args))...};
    return result<R>(forward_->forward(values, sizeof...(Args)));
  }
  /// The answer as the type asked for.
  template <class R>
  R result(std::any value) const {
    R* found = std::any_cast<R>(&value);
    if (!found) detail::wrong_result_type(*module_, typeid(R), value.type());
    return std::move(*found);
  }

 private:
  std::shared_ptr<Module> module_;
  std::shared_ptr<detail::AnyForward> forward_;
};

/// A module with the name it is to have in a Sequential: `{"fc", nn::Linear(10, 5)}`.
class NamedAnyModule {
 public:
  template <class M>
  NamedAnyModule(std::string name, M&& module)
      : name_(std::move(name)), module_(std::forward<M>(module)) {}
  /// Its name in the container.
  const std::string& name() const noexcept { return name_; }
  /// The module.
  const AnyModule& module() const noexcept { return module_; }

 private:
  std::string name_;
  AnyModule module_;
};

}  // namespace td::nn
