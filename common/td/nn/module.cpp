// The tree of modules: registration, listing, apply, modes and printing. Values that move or load
// are in module_state.cpp.
#include "td/nn/module.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>

namespace td::nn {
namespace {

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

std::string Module::name() const { return name_.empty() ? detail::readable(typeid(*this)) : name_; }

void Module::check_name(const char* kind, const std::string& name) const {
  TD_CHECK(Error, !name.empty(), kind, " name must not be empty");
  TD_CHECK(Error, name.find('.') == std::string::npos, kind, " name must not contain a dot (got '",
           name, "'); dots stand between the names of nested modules");
  // One namespace for all three: state_dict could not tell them apart.
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
  TD_CHECK(Error, module, "Submodule '", name, "' is empty: give register_module a module");
  TD_CHECK(Error, module.get() != this, "Submodule '", name, "' is the module itself");
  children_.insert(std::move(name), std::move(module));
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
  const std::string root;
  visit_tensors(&root, recurse, [&](const std::string& name, const Tensor& tensor, bool is_param) {
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

void Module::apply(const NamedModulePointerApplyFunction& function,
                   const std::string& name_prefix) const {
  function(name_prefix, shared_this());
  for (const auto& child : children_)
    child.value()->apply(function, join(name_prefix, child.key()));
}
void Module::apply(const ModulePointerApplyFunction& function) const {
  apply(NamedModulePointerApplyFunction(
      [&](const std::string&, const std::shared_ptr<Module>& module) { function(module); }));
}
void Module::apply(const NamedModuleApplyFunction& function, const std::string& name_prefix) {
  function(name_prefix, *this);
  for (auto& child : children_) child.value()->apply(function, join(name_prefix, child.key()));
}
void Module::apply(const ModuleApplyFunction& function) {
  apply(NamedModuleApplyFunction([&](const std::string&, Module& module) { function(module); }));
}
void Module::apply(const ConstNamedModuleApplyFunction& function,
                   const std::string& name_prefix) const {
  function(name_prefix, *this);
  for (const auto& child : children_)
    std::as_const(*child.value()).apply(function, join(name_prefix, child.key()));
}
void Module::apply(const ConstModuleApplyFunction& function) const {
  apply(ConstNamedModuleApplyFunction(
      [&](const std::string&, const Module& module) { function(module); }));
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

}  // namespace td::nn
