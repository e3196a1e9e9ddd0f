// How modules are copied: `struct NetImpl : nn::Cloneable<NetImpl>` gets clone() from its reset(),
// which registers parameters, buffers and children. Data parallel training makes its replicas so.
#pragma once

#include "td/autograd/modes.h"
#include "td/nn/module.h"

namespace td::nn {

namespace detail {

/// Gives `copy` the values of `source`. @throws Error when reset() did not register the same names.
void clone_tensors(const char* kind, const std::string& module,
                   OrderedDict<std::string, Tensor>& copy,
                   const OrderedDict<std::string, Tensor>& source, const optional<Device>& device);
/// @throws Error: reset() of `module` made other children than the constructor.
[[noreturn]] void clone_children_error(const std::string& module);

}  // namespace detail

/// Base of modules that can be copied. `Derived` puts all its registrations in `reset()`.
template <class Derived>
class Cloneable : public Module {
 public:
  using Module::Module;

  /// Makes parameters, buffers and children anew, with fresh values.
  virtual void reset() = 0;

  /// A copy with memory of its own, on `device` if given.
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override {
    NoGradGuard no_grad;
    const auto& self = static_cast<const Derived&>(*this);
    auto copy = std::make_shared<Derived>(self);
    copy->parameters_.clear();
    copy->buffers_.clear();
    copy->children_.clear();
    copy->reset();
    detail::clone_tensors("parameter", name(), copy->parameters_, parameters_, device);
    detail::clone_tensors("buffer", name(), copy->buffers_, buffers_, device);
    if (copy->children_.size() != children_.size()) detail::clone_children_error(name());
    for (const auto& child : children_)
      copy->children_[child.key()]->clone_(*child.value(), device);
    return copy;
  }

 private:
  void clone_(Module& other, const optional<Device>& device) final {
    const auto clone = std::dynamic_pointer_cast<Derived>(other.clone(device));
    TD_CHECK(Error, clone, "clone: a child of \"", name(), "\" is of another type after reset()");
    static_cast<Derived&>(*this) = *clone;
  }
};

}  // namespace td::nn
