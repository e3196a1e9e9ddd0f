// The tree of modules: registration, listing, apply, modes and printing; and what happens to its
// values: moving, zeroing gradients, state_dict, cloning.
// Invariant: a registered tensor stays the same tensor (set_data), or the optimizer and a tied
// layer would be left holding the old one.
#include "td/nn/module.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "td/autograd/record.h"
#include "td/ops/op.h"
#include "td/ops/state.h"

namespace td::nn {
namespace {

const std::string kRoot;  // the prefix of names in the root module

void check_dtype(ScalarType dtype) {
  TD_CHECK(DtypeError, is_floating_point(dtype),
           "Module::to: expected a floating point dtype but got ", dtype,
           "; parameters are trained, and integers have no gradients");
}

[[noreturn]] void cannot_clone(const std::string& name) {
  fail<Error>("clone() is not implemented for ", name, "; derive it from nn::Cloneable<", name,
              "> and register parameters in reset()");
}

std::string join(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : name.empty() ? prefix : prefix + "." + name;
}

}  // namespace

std::string detail::readable(const std::type_info& type) {
  int status = 0;
  char* text = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string name = status == 0 ? text : type.name();
  std::free(text);
  return name;
}

Module::Module() = default;
Module::Module(std::string name) : name_(std::move(name)) {}
Module::~Module() = default;

std::string Module::name() const { return name_.empty() ? detail::readable(typeid(*this)) : name_; }

void Module::check_name(const char* kind, const std::string& name) const {
  TD_CHECK(Error, !name.empty(), kind, " name must not be empty");
  TD_CHECK(Error, name.find('.') == std::string::npos, kind, " name must not contain a dot (got '",
           name, "'); dots stand between the names of nested modules");
  // One namespace for all three, because state_dict could not tell them apart.
  const char* taken = parameters_.contains(name) ? "parameter"
                      : buffers_.contains(name)  ? "buffer"
                      : children_.contains(name) ? "submodule"
                                                 : nullptr;
  TD_CHECK(Error, !taken, kind, " '", name, "' is already defined in ", this->name(), " as a ",
           taken);
}

Tensor& Module::register_parameter(std::string name, Tensor tensor, bool requires_grad) {
  check_name("Parameter", name);
  if (tensor.defined()) {
    TD_CHECK(DtypeError, !requires_grad || tensor.is_floating_point(), "Parameter '", name,
             "' has dtype ", tensor.dtype(),
             ", which cannot have a gradient; register it with "
             "requires_grad = false, or as a buffer");
    tensor.requires_grad_(requires_grad);
  }
  return parameters_.insert(std::move(name), std::move(tensor));
}

Tensor& Module::register_buffer(std::string name, Tensor tensor) {
  check_name("Buffer", name);
  return buffers_.insert(std::move(name), std::move(tensor));
}

void Module::register_child(std::string name, std::shared_ptr<Module> module) {
  check_name("Submodule", name);
  check_child(name, module);
  children_.insert(std::move(name), std::move(module));
}

void Module::replace_child(const std::string& name, std::shared_ptr<Module> module) {
  check_child(name, module);
  children_[name] = std::move(module);
}

void Module::check_child(const std::string& name, const std::shared_ptr<Module>& module) const {
  TD_CHECK(Error, module, "Submodule '", name, "' is empty: give ", this->name(), " a module");
  TD_CHECK(Error, module.get() != this, "Submodule '", name, "' is the module itself");
}

void Module::visit_tensors(const std::string* prefix, bool recurse, const TensorVisitor& f) const {
  const auto path = [&](const std::string& key) {
    return prefix ? join(*prefix, key) : std::string();
  };
  for (const auto& item : parameters_)
    if (item.value().defined()) f(path(item.key()), item.value(), true);
  for (const auto& item : buffers_)
    if (item.value().defined()) f(path(item.key()), item.value(), false);
  if (!recurse) return;
  for (const auto& child : children_) {
    const std::string below = path(child.key());
    child.value()->visit_tensors(prefix ? &below : nullptr, true, f);
  }
}

OrderedDict<std::string, Tensor> Module::named(bool parameters, bool recurse) const {
  OrderedDict<std::string, Tensor> all(parameters ? "Parameter" : "Buffer");
  visit_tensors(&kRoot, recurse, [&](const std::string& name, const Tensor& tensor, bool is_param) {
    const auto is_it = [&](const auto& item) { return item.value().is_same(tensor); };
    if (is_param == parameters && std::none_of(all.begin(), all.end(), is_it))
      all.insert(name, tensor);
  });
  return all;
}

TensorList Module::unnamed(bool parameters, bool recurse) const {
  TensorList all;
  visit_tensors(nullptr, recurse, [&](const std::string&, const Tensor& tensor, bool is_param) {
    const auto is_it = [&](const Tensor& other) { return other.is_same(tensor); };
    if (is_param == parameters && std::none_of(all.begin(), all.end(), is_it))
      all.push_back(tensor);
  });
  return all;
}

std::shared_ptr<Module> Module::shared_this() const {
  std::shared_ptr<const Module> self = weak_from_this().lock();
  TD_CHECK(Error, self, name(),
           " must be held by a shared_ptr for this call: make it with "
           "std::make_shared, or use its holder (TD_MODULE)");
  return std::const_pointer_cast<Module>(self);
}

void Module::apply(const NamedModuleApplyFunction& function, const std::string& name_prefix) {
  function(name_prefix, *this);
  for (auto& child : children_) child.value()->apply(function, join(name_prefix, child.key()));
}
void Module::apply(const ModuleApplyFunction& function) {
  apply(NamedModuleApplyFunction([&](const std::string&, Module& module) { function(module); }));
}
std::vector<std::shared_ptr<Module>> Module::modules(bool include_self) const {
  return named_modules({}, include_self).values();
}
std::vector<std::shared_ptr<Module>> Module::children() const { return children_.values(); }
OrderedDict<std::string, std::shared_ptr<Module>> Module::named_children() const {
  return children_;
}
OrderedDict<std::string, std::shared_ptr<Module>> Module::named_modules(
    const std::string& name_prefix, bool include_self) const {
  OrderedDict<std::string, std::shared_ptr<Module>> all("Module");
  if (include_self) all.insert(name_prefix, shared_this());
  for (const auto& child : children_)
    all.update(child.value()->named_modules(join(name_prefix, child.key())));
  return all;
}

void Module::train(bool on) {
  for (auto& child : children_) child.value()->train(on);
  is_training_ = on;
}

void Module::pretty_print(std::ostream& stream) const {
  std::string text = name();
  text.erase(0, text.rfind(':') + 1);
  if (text.size() > 4 && text.ends_with("Impl")) text.resize(text.size() - 4);
  stream << text << (children_.is_empty() ? "()" : "");
}

void Module::print_tree(std::ostream& stream, const std::string& indentation) const {
  pretty_print(stream);
  if (children_.is_empty()) return;
  stream << "(\n";
  for (const auto& child : children_) {
    stream << indentation << "  (" << child.key() << "): ";
    child.value()->print_tree(stream, indentation + "  ");
    stream << "\n";
  }
  stream << indentation << ")";
}

std::ostream& operator<<(std::ostream& stream, const Module& module) {
  module.print_tree(stream, {});
  return stream;
}

void Module::transform(const std::function<Tensor(const Tensor&)>& move) {
  NoGradGuard no_grad;
  visit_tensors(nullptr, true, [&](const std::string&, const Tensor& tensor, bool) {
    Tensor gradient = tensor.grad();
    const Tensor moved = move(tensor.detach());
    if (moved.impl().storage != tensor.impl().storage) tensor.set_data(moved);
    // A moved gradient is a new tensor; unlike the parameter's, no handle keeps the old one.
    if (gradient.defined()) tensor.mutable_grad() = move(gradient);
  });
}

void Module::to(Device device, ScalarType dtype, bool non_blocking) {
  check_dtype(dtype);
  const Device target = check_device(device);
  transform([&](const Tensor& t) {
    return t.is_floating_point() ? t.to(target, dtype, non_blocking) : t.to(target, non_blocking);
  });
}
void Module::to(ScalarType dtype, bool non_blocking) {
  check_dtype(dtype);
  transform([&](const Tensor& t) { return t.is_floating_point() ? t.to(dtype, non_blocking) : t; });
}
void Module::to(Device device, bool non_blocking) {
  const Device target = check_device(device);
  transform([&](const Tensor& t) { return t.to(target, non_blocking); });
}
void Module::to(MemoryFormat format) {
  transform([&](const Tensor& t) { return t.dim() == 4 ? t.contiguous(format) : t; });
}

void Module::zero_grad(bool set_to_none) {
  visit_tensors(nullptr, true, [&](const std::string&, const Tensor& tensor, bool is_parameter) {
    if (is_parameter) clear_gradient(tensor, set_to_none);
  });
}

OrderedDict<std::string, Tensor> Module::state_dict() const {
  OrderedDict<std::string, Tensor> state("Tensor");
  visit_tensors(&kRoot, true, [&](const std::string& name, const Tensor& tensor, bool) {
    state.insert(name, tensor.detach());
  });
  return state;
}

void Module::load_state_dict(const OrderedDict<std::string, Tensor>& state, bool strict) {
  NoGradGuard no_grad;
  std::ostringstream problems;
  std::set<std::string> used;
  std::vector<std::pair<Tensor, Tensor>> copies;
  visit_tensors(&kRoot, true, [&](const std::string& name, const Tensor& tensor, bool) {
    const Tensor* value = state.find(name);
    if (!value) {
      if (strict) problems << "\n  missing: \"" << name << "\" " << tensor.sizes();
      return;
    }
    used.insert(name);
    const ScalarType dtype = strict ? tensor.dtype() : value->dtype();  // else it is converted
    check_entry(name, *value, tensor.sizes(), dtype, problems);
    copies.emplace_back(tensor, *value);
  });
  if (strict)
    for (const auto& item : state)
      if (!used.count(item.key())) problems << "\n  unexpected: \"" << item.key() << "\"";
  TD_CHECK(Error, problems.str().empty(), "load_state_dict: the state does not fit ", name(),
           ", and nothing was copied:", problems.str());
  for (auto& copy : copies) copy.first.copy_(copy.second);
}

bool sharing_clones() { return context().underway.clones_share; }
SharedCloneGuard::SharedCloneGuard()
    : sharing_(context().underway.clones_share, true), numbers_(unused_) {}

std::shared_ptr<Module> Module::clone(const optional<Device>&) const { cannot_clone(name()); }
void Module::clone_(Module&, const optional<Device>&) { cannot_clone(name()); }

namespace {

/// Gives `copy` the values of `source`. @throws Error when reset() did not register the same names.
void clone_tensors(const char* kind, const std::string& module,
                   OrderedDict<std::string, Tensor>& copy,
                   const OrderedDict<std::string, Tensor>& source, const optional<Device>& device) {
  TD_CHECK(Error, copy.size() == source.size(), "clone: reset() of ", module, " registered ",
           copy.size(), " ", kind, "s but the module has ", source.size(),
           "; register all of them in reset(), not in the constructor");
  for (const auto& item : source) {
    if (!item.value().defined()) continue;
    const Tensor value = item.value().detach();
    const Device place = device ? check_device(*device) : value.device();
    Tensor& target = copy[item.key()];
    target.set_data(sharing_clones() ? value : to_device(value, place, /*copy=*/true));
    target.requires_grad_(item.value().requires_grad());  // frozen layers stay frozen
  }
}

}  // namespace

void Module::forget_registrations() {
  parameters_.clear();
  buffers_.clear();
  children_.clear();
}

void Module::clone_registrations(const Module& source, const optional<Device>& device) {
  clone_tensors("parameter", source.name(), parameters_, source.parameters_, device);
  clone_tensors("buffer", source.name(), buffers_, source.buffers_, device);
  TD_CHECK(Error, children_.size() == source.children_.size(), "clone: reset() of ", source.name(),
           " made another number of children than the module has; register all of them in reset(), "
           "not in the constructor");
  for (const auto& child : source.children_) children_[child.key()]->clone_(*child.value(), device);
}

void Module::reject_other_type() const {
  fail<Error>("clone: a child of \"", name(), "\" is of another type after reset()");
}

}  // namespace td::nn
