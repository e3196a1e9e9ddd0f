// nn::Module: a node of the tree that a model is. It owns named parameters, buffers and child
// modules, and moves, lists, copies and loads them all. Every layer and every model of a program
// derives from it. Invariant: a registered tensor keeps its identity for the life of the module;
// moving or loading changes what it holds, never which tensor it is.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <type_traits>
#include <typeinfo>

#include "td/autograd/modes.h"
#include "td/base/ordered_dict.h"
#include "td/tensor/generator.h"
#include "td/tensor/tensor.h"

namespace td {

namespace nn {

template <class Contained>
class ModuleHolder;

namespace detail {

/// True for the holder classes that TD_MODULE makes (`Linear`), false for `LinearImpl`.
struct ModuleHolderIndicator {};
template <class T>
inline constexpr bool is_module_holder = std::is_base_of_v<ModuleHolderIndicator, std::decay_t<T>>;

/// The name of a type as programs write it.
std::string readable(const std::type_info& type);

}  // namespace detail

/// Base class of layers and models, with libtorch's names.
///
/// A derived class registers what it owns in its constructor (or in `reset()`, see Cloneable) and
/// computes in a `forward` of its own.
class Module : public std::enable_shared_from_this<Module> {
 public:
  using ModuleApplyFunction = std::function<void(Module&)>;
  using NamedModuleApplyFunction = std::function<void(const std::string&, Module&)>;

  Module();
  /// @param name what `name()` returns; by default the class's name.
  explicit Module(std::string name);
  virtual ~Module();

  /// The name given, or the name of the class.
  std::string name() const;

  /// @name The tensors and modules of the tree, in order of registration, this module's own first
  /// @{
  /// Every parameter once. A parameter that several modules share (tied weights) counts once, as in
  /// Python; libtorch lists it once for each name.
  TensorList parameters(bool recurse = true) const { return unnamed(true, recurse); }
  OrderedDict<std::string, Tensor> named_parameters(bool recurse = true) const {
    return named(true, recurse);
  }
  TensorList buffers(bool recurse = true) const { return unnamed(false, recurse); }
  OrderedDict<std::string, Tensor> named_buffers(bool recurse = true) const {
    return named(false, recurse);
  }
  /// This module (unless `include_self` is false) and all below it.
  /// @throws Error when this module is not held by a shared_ptr and `include_self` is true.
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const;
  /// The same by name; this module's own name is `name_prefix`.
  OrderedDict<std::string, std::shared_ptr<Module>> named_modules(
      const std::string& name_prefix = {}, bool include_self = true) const;
  std::vector<std::shared_ptr<Module>> children() const;
  OrderedDict<std::string, std::shared_ptr<Module>> named_children() const;
  /// @}

  /// Calls `function` for this module and all below it.
  void apply(const ModuleApplyFunction& function);
  void apply(const NamedModuleApplyFunction& function, const std::string& name_prefix = {});

  /// @name Moving
  /// Parameters, buffers and gradients move. Each stays the same tensor, with new memory, so that
  /// optimizers and tied weights continue to work. A dtype must be floating point and leaves
  /// integer tensors as they are, as in Python (libtorch converts those too).
  /// @{
  virtual void to(Device device, ScalarType dtype, bool non_blocking = false);
  virtual void to(ScalarType dtype, bool non_blocking = false);
  virtual void to(Device device, bool non_blocking = false);
  /// Changes the memory layout of 4-dimensional tensors: `model->to(MemoryFormat::ChannelsLast)`.
  void to(MemoryFormat format);
  void cpu() { to(Device(kCPU)); }
  /// cuda() and sim(). @param index which of these devices; -1 for the current one.
#define ACCELERATOR(constant, name, reason) \
  void name(int index = -1) { to(Device(k##constant, index)); }
#include "td/device/devices.def"
  /// @}

  /// Training mode on or off, for this module and all below; dropout and batch norm depend on it.
  virtual void train(bool on = true);
  /// The same as `train(false)`.
  void eval() { train(false); }
  /// True after train(), false after eval().
  virtual bool is_training() const noexcept { return is_training_; }
  /// Sets every gradient to zero, or, with `set_to_none`, drops it.
  virtual void zero_grad(bool set_to_none = false);

  /// @name Values by name
  /// @{
  /// Parameters and buffers under Python's names ("0.weight"), sharing memory with the module.
  OrderedDict<std::string, Tensor> state_dict() const;
  /// Copies values into this module's tensors, from any device.
  /// @param strict when true, both sides must have the same names and dtypes; when false, names
  /// that only one side has are ignored and values are converted.
  /// @throws Error listing every missing or unexpected name and every size or dtype that differs;
  /// nothing is copied then.
  void load_state_dict(const OrderedDict<std::string, Tensor>& state, bool strict = true);
  /// @}

  /// A copy with memory of its own, on `device` if given. Modules get it by deriving from
  /// Cloneable.
  /// @throws Error from a module that does not.
  virtual std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const;

  /// This module as a `ModuleType`; nullptr when it is another kind. Takes `Linear` and
  /// `LinearImpl`.
  template <class ModuleType>
  auto* as() noexcept {
    if constexpr (detail::is_module_holder<ModuleType>)
      return dynamic_cast<typename ModuleType::ContainedType*>(this);
    else
      return dynamic_cast<ModuleType*>(this);
  }
  template <class ModuleType>
  const auto* as() const noexcept {
    return const_cast<Module*>(this)->as<ModuleType>();
  }

  /// Writes this module's part of a printed tree; the children follow by themselves. By
  /// default the class's name, with "()" where there are no children.
  virtual void pretty_print(std::ostream& stream) const;

  /// @name Building the tree
  /// @{
  /// Adds a parameter and returns the stored handle. An undefined tensor is a parameter left out.
  /// @throws Error for a name that is empty, has a dot or is taken.
  Tensor& register_parameter(std::string name, Tensor tensor, bool requires_grad = true);
  /// Adds a tensor that is part of the module's state but is not trained.
  Tensor& register_buffer(std::string name, Tensor tensor);
  /// Adds a child and returns it.
  template <class ModuleType>
  std::shared_ptr<ModuleType> register_module(std::string name,
                                              std::shared_ptr<ModuleType> module) {
    register_child(std::move(name), module);
    return module;
  }
  template <class ModuleType>
  std::shared_ptr<ModuleType> register_module(std::string name, ModuleHolder<ModuleType> holder) {
    return register_module(std::move(name), holder.ptr());
  }
  /// Replaces a child by another module. @throws Error when there is no such child, and for an
  /// empty module or this one.
  template <class ModuleType>
  std::shared_ptr<ModuleType> replace_module(const std::string& name,
                                             std::shared_ptr<ModuleType> module) {
    replace_child(name, module);
    return module;
  }
  template <class ModuleType>
  std::shared_ptr<ModuleType> replace_module(const std::string& name,
                                             ModuleHolder<ModuleType> holder) {
    return replace_module(name, holder.ptr());
  }
  /// @}

 protected:
  /// What register_parameter, register_buffer and register_module took.
  ///@{
  OrderedDict<std::string, Tensor> parameters_{"Parameter"};
  OrderedDict<std::string, Tensor> buffers_{"Buffer"};
  OrderedDict<std::string, std::shared_ptr<Module>> children_{"Submodule"};
  ///@}
  /// What register_module and replace_module call. A container overrides both, because it has a
  /// list of its own.
  ///@{
  virtual void register_child(std::string name, std::shared_ptr<Module> module);
  virtual void replace_child(const std::string& name, std::shared_ptr<Module> module);
  ///@}
  /// @throws Error when `module` is empty or this module. @param name of the child, for the error.
  void check_child(const std::string& name, const std::shared_ptr<Module>& module) const;

 private:
  template <class Derived>
  friend class Cloneable;
  friend std::ostream& operator<<(std::ostream& stream, const Module& module);

  // Cloneable copies another clone's members into this object.
  virtual void clone_(Module& other, const optional<Device>& device);
  void forget_registrations();
  // After reset(): takes the values of `source`, and those of its children.
  void clone_registrations(const Module& source, const optional<Device>& device);
  [[noreturn]] void reject_other_type() const;
  void check_name(const char* kind, const std::string& name) const;
  std::shared_ptr<Module> shared_this() const;
  void print_tree(std::ostream& stream, const std::string& indentation) const;
  // Calls f(name, tensor, is_parameter) for every parameter and buffer, tied ones once for each
  // name. Without a prefix names are empty: making them costs more than most visits.
  using TensorVisitor = std::function<void(const std::string&, const Tensor&, bool)>;
  void visit_tensors(const std::string* prefix, bool recurse, const TensorVisitor& f) const;
  // named_parameters() or named_buffers(), and parameters() or buffers().
  OrderedDict<std::string, Tensor> named(bool parameters, bool recurse) const;
  TensorList unnamed(bool parameters, bool recurse) const;
  void transform(const std::function<Tensor(const Tensor&)>& move);

  std::string name_;  // empty: the class's name
  bool is_training_ = true;
};

/// Prints the tree as Python does: one line per layer, children indented with their names.
std::ostream& operator<<(std::ostream& stream, const Module& module);

/// Base of modules that can be copied. `Derived` puts all its registrations in `reset()`.
template <class Derived>
class Cloneable : public Module {
 public:
  using Module::Module;

  /// Makes parameters, buffers and children again, with fresh values.
  virtual void reset() = 0;

  /// A copy with memory of its own, on `device` if given.
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override {
    NoGradGuard no_grad;
    auto copy = std::make_shared<Derived>(static_cast<const Derived&>(*this));
    copy->forget_registrations();
    copy->reset();
    copy->clone_registrations(*this, device);
    return copy;
  }

 private:
  void clone_(Module& other, const optional<Device>& device) final {
    const auto clone = std::dynamic_pointer_cast<Derived>(other.clone(device));
    if (!clone) reject_other_type();
    static_cast<Derived&>(*this) = *clone;
  }
};

/// Base of layers and losses that have options and neither parameters nor buffers.
template <class Derived, class Options>
class PlainModuleBase : public Cloneable<Derived> {
 public:
  /// @param arguments the options, or what they are made from.
  template <class... Arguments,
            class = std::enable_if_t<std::is_constructible_v<Options, Arguments...>>>
  explicit PlainModuleBase(Arguments&&... arguments)
      : options(std::forward<Arguments>(arguments)...) {}
  void reset() override {}

  Options options;
};

/// Until the end of the scope, `clone()` in this thread shares memory with the original, whatever
/// device it is given. Initial values that a `reset()` draws come from a generator of the guard;
/// the core's layers draw none.
class SharedCloneGuard {
 public:
  SharedCloneGuard();

 private:
  ScopedValue<bool> sharing_;
  Generator unused_;
  GeneratorGuard numbers_;
};

/// Whether a guard is active in this thread.
bool sharing_clones();

}  // namespace nn
}  // namespace td
