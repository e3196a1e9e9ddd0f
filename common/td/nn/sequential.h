// Containers of modules: Sequential, which calls modules one after another, ModuleList, and
// Functional, a function as a module. `NameImpl` holds what it contains; `Name` is its handle.
#pragma once

#include "td/nn/any_module.h"

namespace td::nn {

namespace detail {

/// The module that a handle of any kind holds.
template <class M>
const std::shared_ptr<M>& pointer_of(const std::shared_ptr<M>& module) {
  return module;
}
template <class M>
const std::shared_ptr<M>& pointer_of(const ModuleHolder<M>& module) {
  return module.ptr();
}
inline const std::shared_ptr<Module>& pointer_of(const AnyModule& module) { return module.ptr(); }
/// A handle of the same kind on a clone of it.
template <class M>
std::shared_ptr<M> clone_of(const std::shared_ptr<M>& module,
                            const optional<Device>& device = nullopt) {
  return std::dynamic_pointer_cast<M>(module->clone(device));
}
template <class M>
ModuleHolder<M> clone_of(const ModuleHolder<M>& module) {
  return clone_of(module.ptr());
}
inline AnyModule clone_of(const AnyModule& module, const optional<Device>& device = nullopt) {
  return module.clone(device);
}

}  // namespace detail

/// What Sequential and ModuleList share: modules in order, which are children of the container.
/// Invariant: modules_[i] is the module of children_[i].
template <class Derived, class Item>
class ModuleContainerBase : public Cloneable<Derived> {
 public:
  using Iterator = typename std::vector<Item>::iterator;
  using ConstIterator = typename std::vector<Item>::const_iterator;

  /// The children are what was pushed, so there is nothing to make again.
  void reset() override {}
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override {
    auto copy = std::make_shared<Derived>();
    copy->train(this->is_training());  // before it has children, which have modes of their own
    for (std::size_t i = 0; i < size(); ++i)
      copy->push_back(this->children_[i].key(), detail::clone_of(modules_[i], device));
    return copy;
  }

  /// Adds a module under the next number, or under a name.
  void push_back(Item module) { push_back(std::to_string(size()), std::move(module)); }
  void push_back(std::string name, Item module) {
    Module::register_child(std::move(name), detail::pointer_of(module));
    modules_.push_back(std::move(module));
  }
  /// The same as push_back; returns the module.
  ///@{
  template <class M>
  std::shared_ptr<M> register_module(std::string name, std::shared_ptr<M> module) {
    push_back(std::move(name), Item(module));
    return module;
  }
  template <class M>
  std::shared_ptr<M> register_module(std::string name, ModuleHolder<M> holder) {
    return register_module(std::move(name), holder.ptr());
  }
  ///@}
  /// Puts another module in the place of the child `name`, also for forward.
  /// @throws Error when there is no such child.
  ///@{
  template <class M>
  std::shared_ptr<M> replace_module(const std::string& name, std::shared_ptr<M> module) {
    replace_item(name, Item(module));
    return module;
  }
  template <class M>
  std::shared_ptr<M> replace_module(const std::string& name, ModuleHolder<M> holder) {
    return replace_module(name, holder.ptr());
  }
  ///@}
  /// Adds the modules of a container, a vector of holders, ... under the next numbers.
  template <class Container>
  void extend(const Container& modules) {
    const Container added = modules;  // it may be this container
    for (const auto& module : added) static_cast<Derived*>(this)->push_back(module);
  }
  /// Adds a module before module `index`, or at the end for size(). The modules after it that are
  /// named by their numbers get the next ones; other names stay. Python's `insert`. (In libtorch
  /// 1.13 the numbers stay, so that parameters() misses a module.)
  /// @throws Error for an index above size(), and when another module is named like the new one.
  void insert(std::size_t index, Item module) {
    const auto& children = this->children_;
    const std::shared_ptr<Module>& added = detail::pointer_of(module);
    TD_CHECK(Error, index <= children.size(), Derived::kName, ": cannot insert a module at ", index,
             "; expected 0 to ", children.size());
    TD_CHECK(Error, added && added.get() != this, Derived::kName, ": the module to insert is ",
             added ? "the container itself" : "empty", "; give it another module");
    OrderedDict<std::string, std::shared_ptr<Module>> all("Submodule");
    for (std::size_t i = 0; i <= children.size(); ++i) {
      if (i == index) all.insert(std::to_string(i), added);
      if (i == children.size()) break;
      const auto& [name, child] = children[i].pair();
      const bool moves_on = i >= index && name == std::to_string(i);
      all.insert(moves_on ? std::to_string(i + 1) : name, child);
    }
    this->children_ = std::move(all);
    modules_.insert(modules_.begin() + static_cast<std::ptrdiff_t>(index), std::move(module));
  }

  std::size_t size() const noexcept { return modules_.size(); }
  bool is_empty() const noexcept { return modules_.empty(); }
  /// @throws Error for an index that is not there.
  std::shared_ptr<Module> ptr(std::size_t index) const {
    TD_CHECK(Error, index < size(), Derived::kName, ": there is no module ", index, "; it has ",
             size());
    return detail::pointer_of(modules_[index]);
  }
  template <class T>
  std::shared_ptr<T> ptr(std::size_t index) const {
    return std::dynamic_pointer_cast<T>(ptr(index));
  }
  std::shared_ptr<Module> operator[](std::size_t index) const { return ptr(index); }
  /// The module as a `T`. @throws Error when it is another type.
  template <class T>
  T& at(std::size_t index) const {
    const std::shared_ptr<Module> module = ptr(index);
    T* found = module->as<T>();
    TD_CHECK(Error, found, Derived::kName, ": the module is ", module->name(),
             ", which is not the type asked for");
    return *found;
  }
  Iterator begin() { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator begin() const { return modules_.begin(); }
  ConstIterator end() const { return modules_.end(); }

 protected:
  /// In the order of the children.
  std::vector<Item> modules_;

 private:
  // For a program that knows the container as a Module only.
  void register_child(std::string name, std::shared_ptr<Module> module) final {
    push_back(std::move(name), item_of(std::move(module)));
  }
  void replace_child(const std::string& name, std::shared_ptr<Module> module) final {
    replace_item(name, item_of(std::move(module)));
  }
  static Item item_of(std::shared_ptr<Module> module) {
    if constexpr (std::is_same_v<Item, std::shared_ptr<Module>>)
      return module;
    else
      fail<Error>(Derived::kName,
                  ": the forward of a module that is given as a Module is unknown; ",
                  "call as<nn::", Derived::kName, ">() and register or replace the module there");
  }
  void replace_item(const std::string& name, Item module) {
    Module::replace_child(name, detail::pointer_of(module));
    for (std::size_t i = 0; i < size(); ++i)
      if (this->children_[i].key() == name) modules_[i] = std::move(module);
  }
};

/// Calls modules in order, each with the result of the one before.
class SequentialImpl : public ModuleContainerBase<SequentialImpl, AnyModule> {
 public:
  static constexpr const char* kName = "Sequential";  ///< for errors
  /// How a Sequential inside another is called.
  using PlainForward = Tensor (SequentialImpl::*)(const Tensor&);

  SequentialImpl();
  SequentialImpl(std::initializer_list<NamedAnyModule> modules);
  template <class Head, class... Tail,
            class = std::enable_if_t<std::is_constructible_v<AnyModule, Head&&> &&
                                     !std::is_same_v<std::decay_t<Head>, SequentialImpl>>>
  explicit SequentialImpl(Head&& head, Tail&&... tail) {
    push_back(AnyModule(std::forward<Head>(head)));
    (push_back(AnyModule(std::forward<Tail>(tail))), ...);
  }

  /// Runs the input through all modules. @throws Error when there are none, and, naming the module,
  /// when the arguments of one do not fit.
  Tensor forward(const Tensor& input);
  /// The same for several inputs or another type of result.
  template <class R, class... Inputs>
  R forward(Inputs&&... inputs) {
    check_not_empty();
    std::any values[] = {std::any(std::decay_t<Inputs>(inputs))...};
    std::any value = modules_[0].any_forward(values, sizeof...(Inputs));
    for (std::size_t i = 1; i < modules_.size(); ++i) value = modules_[i].any_forward(&value, 1);
    return detail::result_as<R>(*modules_.back().ptr(), std::move(value));
  }
  template <class First, class Second, class... Rest>
  Tensor forward(First&& first, Second&& second, Rest&&... rest) {
    return forward<Tensor>(std::forward<First>(first), std::forward<Second>(second),
                           std::forward<Rest>(rest)...);
  }

 private:
  void check_not_empty() const;
};

/// Holder of SequentialImpl: `nn::Sequential net(nn::Linear(10, 5), nn::ReLU())`, or with names,
/// `nn::Sequential net({{"fc", nn::Linear(10, 5)}, {"act", nn::ReLU()}})`.
class Sequential : public ModuleHolder<SequentialImpl> {
 public:
  using ModuleHolder<SequentialImpl>::ModuleHolder;
  using Impl = SequentialImpl;
  Sequential();
  Sequential(std::initializer_list<NamedAnyModule> modules);
};

/// A list of modules without a forward of its own.
class ModuleListImpl : public ModuleContainerBase<ModuleListImpl, std::shared_ptr<Module>> {
 public:
  static constexpr const char* kName = "ModuleList";  ///< for errors

  ModuleListImpl() = default;
  template <class Head, class... Tail,
            class = std::enable_if_t<!std::is_base_of_v<ModuleListImpl, std::decay_t<Head>>>>
  explicit ModuleListImpl(Head&& head, Tail&&... tail) {
    this->push_back(std::forward<Head>(head));
    (this->push_back(std::forward<Tail>(tail)), ...);
  }
};
TD_MODULE(ModuleList);

/// A function of one tensor as a module: `nn::Functional(torch::relu)`. Further arguments are
/// bound: `nn::Functional(torch::leaky_relu, 0.2)`.
class FunctionalImpl : public Cloneable<FunctionalImpl> {
 public:
  using Function = std::function<Tensor(Tensor)>;
  explicit FunctionalImpl(Function function);
  template <class F, class... Args, class = std::enable_if_t<(sizeof...(Args) > 0)>>
  explicit FunctionalImpl(F function, Args... args)
      : function_([function, args...](Tensor input) { return function(input, args...); }) {}
  void reset() override {}
  Tensor forward(Tensor input) { return function_(std::move(input)); }

 private:
  Function function_;
};
TD_MODULE(Functional);

}  // namespace td::nn
