// Sequential and ModuleList: what does not depend on the types of the modules, and their errors.
#include "td/nn/containers.h"

#include <cxxabi.h>

#include <cstdlib>

namespace td::nn {

namespace detail {
namespace {

std::string readable(const std::type_info& type) {
  int status = 0;
  char* text = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string name = status == 0 ? text : type.name();
  std::free(text);
  return name;
}

}  // namespace

void wrong_argument_count(const Module& module, std::size_t wants, std::size_t got) {
  fail<Error>(module.name(), "'s forward() takes ", wants, wants == 1 ? " argument" : " arguments",
              ", but received ", got);
}
void wrong_argument_type(const Module& module, std::size_t index, const std::type_info& wants,
                         const std::type_info& got) {
  fail<Error>(module.name(), "'s forward() takes ", readable(wants), " as argument ", index,
              ", but received ", readable(got));
}
void wrong_result_type(const Module& module, const std::type_info& wants,
                       const std::type_info& got) {
  fail<Error>(module.name(), "'s forward() returns ", readable(got), ", but ", readable(wants),
              " was asked for; name the type, as in forward<", readable(got), ">(...)");
}

}  // namespace detail

void SequentialImpl::push_back(AnyModule module) {
  push_back(std::to_string(modules_.size()), std::move(module));
}
void SequentialImpl::push_back(std::string name, AnyModule module) {
  register_module(std::move(name), module.ptr());
  modules_.push_back(std::move(module));
}

namespace {

// The children of `self` with `module` as number `index`; those after it that are named by their
// numbers get the next ones.
OrderedDict<std::string, std::shared_ptr<Module>> with_inserted(
    const char* container, const Module& self, std::size_t index,
    const std::shared_ptr<Module>& module) {
  const auto children = self.named_children();
  TD_CHECK(Error, index <= children.size(), container, ": cannot insert a module at ", index,
           "; expected 0 to ", children.size());
  TD_CHECK(Error, module && module.get() != &self, container, ": the module to insert is ",
           module ? "the container itself" : "empty", "; give it another module");
  OrderedDict<std::string, std::shared_ptr<Module>> all("Submodule");
  for (std::size_t i = 0; i <= children.size(); ++i) {
    if (i == index) all.insert(std::to_string(i), module);
    if (i == children.size()) break;
    const auto& [name, child] = children[i].pair();
    const bool moves_on = i >= index && name == std::to_string(i);
    all.insert(moves_on ? std::to_string(i + 1) : name, child);
  }
  return all;
}

}  // namespace

void SequentialImpl::insert(std::size_t index, AnyModule module) {
  children_ = with_inserted("Sequential", *this, index, module.ptr());
  modules_.insert(modules_.begin() + static_cast<std::ptrdiff_t>(index), std::move(module));
}

std::shared_ptr<Module> SequentialImpl::clone(const optional<Device>& device) const {
  auto copy = std::make_shared<SequentialImpl>();
  copy->train(is_training());  // before it has children, which have modes of their own
  for (std::size_t i = 0; i < modules_.size(); ++i)
    copy->push_back(children_[i].key(), modules_[i].clone(device));
  return copy;
}

void SequentialImpl::check_not_empty() const {
  TD_CHECK(Error, !modules_.empty(),
           "Cannot call forward() on an empty Sequential; add a module "
           "with push_back first");
}

Tensor SequentialImpl::forward(const Tensor& input) {
  check_not_empty();
  Tensor value = input;
  for (const AnyModule& module : modules_)
    value = module.takes_one_tensor() ? module.forward_tensor(value) : module.forward(value);
  return value;
}

namespace {

void check_index(const char* container, std::size_t index, std::size_t size) {
  TD_CHECK(Error, index < size, container, ": there is no module ", index, "; it has ", size);
}

}  // namespace

std::shared_ptr<Module> SequentialImpl::ptr(std::size_t index) const {
  check_index("Sequential", index, modules_.size());
  return modules_[index].ptr();
}

void ModuleListImpl::push_back(std::shared_ptr<Module> module) {
  register_module(std::to_string(modules_.size()), module);
  modules_.push_back(std::move(module));
}
void ModuleListImpl::insert(std::size_t index, std::shared_ptr<Module> module) {
  children_ = with_inserted("ModuleList", *this, index, module);
  modules_.insert(modules_.begin() + static_cast<std::ptrdiff_t>(index), std::move(module));
}
std::shared_ptr<Module> ModuleListImpl::clone(const optional<Device>& device) const {
  auto copy = std::make_shared<ModuleListImpl>();
  copy->train(is_training());
  for (const auto& module : modules_) copy->push_back(module->clone(device));
  return copy;
}
std::shared_ptr<Module> ModuleListImpl::ptr(std::size_t index) const {
  check_index("ModuleList", index, modules_.size());
  return modules_[index];
}
void ModuleListImpl::pretty_print(std::ostream& stream) const { stream << "ModuleList"; }
void FunctionalImpl::pretty_print(std::ostream& stream) const { stream << "Functional()"; }

}  // namespace td::nn
