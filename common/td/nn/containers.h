// Modules made of modules: Sequential calls its children one after another, ModuleList only holds
// them, Functional wraps a function as a module.
#pragma once

#include "td/nn/any_module.h"
#include "td/nn/module.h"

namespace td::nn {

/// Calls modules in order, each with the result of the one before.
class SequentialImpl : public Cloneable<SequentialImpl> {
 public:
  using Iterator = std::vector<AnyModule>::iterator;
  using ConstIterator = std::vector<AnyModule>::const_iterator;
  /// How a Sequential inside another is called.
  using PlainForward = Tensor (SequentialImpl::*)(const Tensor&);

  SequentialImpl() = default;
  SequentialImpl(const SequentialImpl&) = default;
  SequentialImpl& operator=(const SequentialImpl&) = default;
  SequentialImpl(std::initializer_list<NamedAnyModule> modules) {
    for (const NamedAnyModule& module : modules) push_back(module.name(), module.module());
  }
  explicit SequentialImpl(const OrderedDict<std::string, AnyModule>& modules) {
    for (const auto& item : modules) push_back(item.key(), item.value());
  }
  template <class Head, class... Tail,
            class = std::enable_if_t<std::is_constructible_v<AnyModule, Head&&> &&
                                     !std::is_same_v<std::decay_t<Head>, SequentialImpl>>>
  explicit SequentialImpl(Head&& head, Tail&&... tail) {
    push_back(AnyModule(std::forward<Head>(head)));
    (push_back(AnyModule(std::forward<Tail>(tail))), ...);
  }

  /// The children are whatever was pushed: nothing to make again.
  void reset() override {}
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;

  /// Adds a module under the next number, or under a name.
  void push_back(AnyModule module);
  void push_back(std::string name, AnyModule module);
  /// Adds the modules of a Sequential, a vector of holders, ... under the next numbers.
  template <class Container>
  void extend(const Container& modules) {
    const std::vector<AnyModule> added(modules.begin(), modules.end());  // may be this container
    for (const AnyModule& module : added) push_back(module);
  }
  /// Adds a module in front of module `index`, or at the end for size(). The modules after it that
  /// are named by their numbers get the next ones; other names stay. Python's `insert`.
  /// @throws Error for an index above size(), and when another module is named like the new one.
  void insert(std::size_t index, AnyModule module);

  /// Runs the input through all modules. @throws Error when it is empty, or naming the module
  /// whose arguments do not fit.
  Tensor forward(const Tensor& input);
  /// The same for several inputs or another type of result.
  template <class R, class... Inputs>
  R forward(Inputs&&... inputs) {
    check_not_empty();
    std::any values[] = {std::any(std::decay_t<Inputs>(inputs))...};
    std::any value = modules_[0].any_forward(values, sizeof...(Inputs));
    for (std::size_t i = 1; i < modules_.size(); ++i) value = modules_[i].any_forward(&value, 1);
    return modules_.back().result<R>(std::move(value));
  }
  template <class First, class Second, class... Rest>
  Tensor forward(First&& first, Second&& second, Rest&&... rest) {
    return forward<Tensor>(std::forward<First>(first), std::forward<Second>(second),
                           std::forward<Rest>(rest)...);
  }

  std::size_t size() const noexcept { return modules_.size(); }
  bool is_empty() const noexcept { return modules_.empty(); }
  /// @throws Error for an index that is not there.
  std::shared_ptr<Module> ptr(std::size_t index) const;
  template <class T>
  std::shared_ptr<T> ptr(std::size_t index) const {
    return std::dynamic_pointer_cast<T>(ptr(index));
  }
  std::shared_ptr<Module> operator[](std::size_t index) const { return ptr(index); }
  /// The module as a `T`. @throws Error when it is another type.
  template <class T>
  T& at(std::size_t index) const {
    ptr(index);
    return modules_[index].get<T>();
  }
  Iterator begin() { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator begin() const { return modules_.begin(); }
  ConstIterator end() const { return modules_.end(); }

 private:
  void check_not_empty() const;

  std::vector<AnyModule> modules_;
};

/// Holder of SequentialImpl: `nn::Sequential net(nn::Linear(10, 5), nn::ReLU())`, or with names,
/// `nn::Sequential net({{"fc", nn::Linear(10, 5)}, {"act", nn::ReLU()}})`.
class Sequential : public ModuleHolder<SequentialImpl> {
 public:
  using ModuleHolder<SequentialImpl>::ModuleHolder;
  using Impl = SequentialImpl;
  Sequential() = default;
  Sequential(std::initializer_list<NamedAnyModule> modules)
      : ModuleHolder(std::make_shared<SequentialImpl>(modules)) {}
};

/// A list of modules without a forward of its own.
class ModuleListImpl : public Cloneable<ModuleListImpl> {
 public:
  using Iterator = std::vector<std::shared_ptr<Module>>::iterator;
  using ConstIterator = std::vector<std::shared_ptr<Module>>::const_iterator;

  ModuleListImpl() = default;
  ModuleListImpl(const ModuleListImpl&) = default;
  ModuleListImpl& operator=(const ModuleListImpl&) = default;
  template <class Head, class... Tail,
            class = std::enable_if_t<!std::is_base_of_v<ModuleListImpl, std::decay_t<Head>>>>
  explicit ModuleListImpl(Head&& head, Tail&&... tail) {
    push_back(std::forward<Head>(head));
    (push_back(std::forward<Tail>(tail)), ...);
  }
  void reset() override {}
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  void pretty_print(std::ostream& stream) const override;

  void push_back(std::shared_ptr<Module> module);
  template <class M>
  void push_back(const ModuleHolder<M>& holder) {
    push_back(std::shared_ptr<Module>(holder.ptr()));
  }
  /// Adds the modules of a ModuleList, a vector of holders, ... under the next numbers.
  template <class Container>
  void extend(const Container& modules) {
    const Container added = modules;  // it may be this list
    for (const auto& module : added) push_back(module);
  }
  /// Adds a module in front of module `index`, or at the end for size(). The modules after it get
  /// the next numbers; in libtorch 1.13 they do not, so that parameters() misses a module there.
  /// @throws Error for an index above size().
  ///@{
  void insert(std::size_t index, std::shared_ptr<Module> module);
  template <class M>
  void insert(std::size_t index, const ModuleHolder<M>& holder) {
    insert(index, std::shared_ptr<Module>(holder.ptr()));
  }
  ///@}
  std::size_t size() const noexcept { return modules_.size(); }
  bool is_empty() const noexcept { return modules_.empty(); }
  /// @throws Error for an index that is not there.
  std::shared_ptr<Module> ptr(std::size_t index) const;
  template <class T>
  std::shared_ptr<T> ptr(std::size_t index) const {
    return std::dynamic_pointer_cast<T>(ptr(index));
  }
  std::shared_ptr<Module> operator[](std::size_t index) const { return ptr(index); }
  /// The module as a `T`. @throws Error when it is another type.
  template <class T>
  T& at(std::size_t index) const {
    return checked<T>(ptr(index));
  }
  Iterator begin() { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator begin() const { return modules_.begin(); }
  ConstIterator end() const { return modules_.end(); }

 private:
  template <class T>
  static T& checked(const std::shared_ptr<Module>& module) {
    T* found = module->as<T>();
    TD_CHECK(Error, found, "ModuleList: the module is ", module->name(),
             ", which is not the type asked for");
    return *found;
  }
  std::vector<std::shared_ptr<Module>> modules_;
};
TD_MODULE(ModuleList);

/// A function of one tensor as a module: `nn::Functional(torch::relu)`. Further arguments are
/// bound: `nn::Functional(torch::leaky_relu, 0.2)`.
class FunctionalImpl : public Cloneable<FunctionalImpl> {
 public:
  using Function = std::function<Tensor(Tensor)>;
  explicit FunctionalImpl(Function function) : function_(std::move(function)) {}
  template <class F, class... Args, class = std::enable_if_t<(sizeof...(Args) > 0)>>
  explicit FunctionalImpl(F function, Args... args)
      : function_([function, args...](Tensor input) { return function(input, args...); }) {}
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input) { return function_(std::move(input)); }

 private:
  Function function_;
};
TD_MODULE(Functional);

}  // namespace td::nn
