// What Sequential and ModuleList do with their modules.
#include "td/nn/containers.h"

namespace td::nn {

namespace {

const std::shared_ptr<Module>& pointer(const AnyModule& module) { return module.ptr(); }
const std::shared_ptr<Module>& pointer(const std::shared_ptr<Module>& module) { return module; }
AnyModule copy_of(const AnyModule& module, const optional<Device>& device) {
  return module.clone(device);
}
std::shared_ptr<Module> copy_of(const std::shared_ptr<Module>& module,
                                const optional<Device>& device) {
  return module->clone(device);
}

}  // namespace

template <class Derived, class Item>
std::shared_ptr<Module> ModuleContainerBase<Derived, Item>::clone(
    const optional<Device>& device) const {
  auto copy = std::make_shared<Derived>();
  copy->train(this->is_training());  // before it has children, which have modes of their own
  for (std::size_t i = 0; i < size(); ++i)
    copy->push_back(this->children_[i].key(), copy_of(modules_[i], device));
  return copy;
}

template <class Derived, class Item>
void ModuleContainerBase<Derived, Item>::push_back(std::string name, Item module) {
  this->register_module(std::move(name), pointer(module));
  modules_.push_back(std::move(module));
}

template <class Derived, class Item>
void ModuleContainerBase<Derived, Item>::insert(std::size_t index, Item module) {
  const auto& children = this->children_;
  TD_CHECK(Error, index <= children.size(), Derived::kName, ": cannot insert a module at ", index,
           "; expected 0 to ", children.size());
  TD_CHECK(Error, pointer(module) && pointer(module).get() != this, Derived::kName,
           ": the module to insert is ", pointer(module) ? "the container itself" : "empty",
           "; give it another module");
  OrderedDict<std::string, std::shared_ptr<Module>> all("Submodule");
  for (std::size_t i = 0; i <= children.size(); ++i) {
    if (i == index) all.insert(std::to_string(i), pointer(module));
    if (i == children.size()) break;
    const auto& [name, child] = children[i].pair();
    const bool moves_on = i >= index && name == std::to_string(i);
    all.insert(moves_on ? std::to_string(i + 1) : name, child);
  }
  this->children_ = std::move(all);
  modules_.insert(modules_.begin() + static_cast<std::ptrdiff_t>(index), std::move(module));
}

template <class Derived, class Item>
std::shared_ptr<Module> ModuleContainerBase<Derived, Item>::ptr(std::size_t index) const {
  TD_CHECK(Error, index < size(), Derived::kName, ": there is no module ", index, "; it has ",
           size());
  return pointer(modules_[index]);
}

template class ModuleContainerBase<SequentialImpl, AnyModule>;
template class ModuleContainerBase<ModuleListImpl, std::shared_ptr<Module>>;

}  // namespace td::nn
