// What happens to the values of a module: moving, zeroing gradients, state_dict, cloning.
// Invariant: a registered tensor stays the same tensor (set_data), or the optimizer and a tied
// layer would be left holding the old one.
#include <set>
#include <utility>

#include "td/autograd/record.h"
#include "td/nn/module.h"
#include "td/ops/ops.h"

namespace td::nn {
namespace {

const std::string kRoot;  // the prefix of names in the module that was asked
thread_local bool clones_share = false;

void check_dtype(ScalarType dtype) {
  TD_CHECK(DtypeError, is_floating_point(dtype),
           "Module::to: expected a floating point dtype but got ", dtype,
           "; parameters are trained, and integers have no gradients");
}

[[noreturn]] void cannot_clone(const std::string& name) {
  fail<Error>("clone() is not implemented for ", name, "; derive it from nn::Cloneable<", name,
              "> and register parameters in reset()");
}

}  // namespace

void Module::transform(const std::function<Tensor(const Tensor&)>& move) {
  NoGradGuard no_grad;
  visit_tensors(nullptr, true, [&](const std::string&, const Tensor& tensor, bool) {
    Tensor gradient = tensor.grad();
    const Tensor moved = move(tensor.detach());
    if (moved.impl().storage != tensor.impl().storage) tensor.set_data(moved);
    // A moved gradient is a new tensor; unlike the parameter, nobody holds on to it.
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
    if (value->sizes() != tensor.sizes())
      problems << "\n  size differs: \"" << name << "\" is " << tensor.sizes() << " here but "
               << value->sizes() << " in the state";
    if (strict && value->dtype() != tensor.dtype())
      problems << "\n  dtype differs: \"" << name << "\" is " << tensor.dtype() << " here but "
               << value->dtype() << " in the state";
    copies.emplace_back(tensor, *value);
  });
  if (strict)
    for (const auto& item : state)
      if (!used.count(item.key())) problems << "\n  unexpected: \"" << item.key() << "\"";
  TD_CHECK(Error, problems.str().empty(), "load_state_dict: the state does not fit ", name(),
           ", and nothing was copied:", problems.str());
  for (auto& copy : copies) copy.first.copy_(copy.second);
}

bool sharing_clones() { return clones_share; }
SharedCloneGuard::SharedCloneGuard()
    : previous_(std::exchange(clones_share, true)), numbers_(nobodys_) {}
SharedCloneGuard::~SharedCloneGuard() { clones_share = previous_; }

std::shared_ptr<Module> Module::clone(const optional<Device>&) const { cannot_clone(name()); }
void Module::clone_(Module&, const optional<Device>&) { cannot_clone(name()); }

void detail::clone_tensors(const char* kind, const std::string& module,
                           OrderedDict<std::string, Tensor>& copy,
                           const OrderedDict<std::string, Tensor>& source,
                           const optional<Device>& device) {
  TD_CHECK(Error, copy.size() == source.size(), "clone: reset() of ", module, " registered ",
           copy.size(), " ", kind, "s but the module has ", source.size(),
           "; register all of them in reset(), not in the constructor");
  for (const auto& item : source) {
    if (!item.value().defined()) continue;
    const Tensor value = item.value().detach();
    const bool moves = device && !(check_device(*device) == value.device());
    Tensor& target = copy[item.key()];
    if (sharing_clones())
      target.set_data(value);
    else
      target.set_data(moves ? value.to(*device) : value.clone());
    target.requires_grad_(item.value().requires_grad());  // frozen layers stay frozen
  }
}

}  // namespace td::nn
