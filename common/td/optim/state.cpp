// An optimizer's state by name, out and in. Invariant: what is put back is checked as a whole
// first; a state that does not fit changes nothing.
#include <algorithm>

#include "td/ops/ops.h"
#include "td/optim/optimizer.h"

namespace td::optim {
namespace {

std::string group_prefix(std::size_t group) {
  return "param_groups." + std::to_string(group) + ".";
}

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

// Whether an entry is one of the parameter's whose entries begin with `prefix`.
bool belongs_to(const std::string& prefix, const std::string& entry) {
  return starts_with(entry, prefix) && entry.find('.', prefix.size()) == entry.npos;
}

// Writes what is in the way of loading `value` where `sizes` and `dtype` are needed.
void check_entry(const std::string& name, const Tensor& value, IntArrayRef sizes, ScalarType dtype,
                 std::ostream& problems) {
  if (value.sizes() != sizes)
    problems << "\n  size differs: \"" << name << "\" is " << sizes << " here but " << value.sizes()
             << " in the state";
  if (value.dtype() != dtype)
    problems << "\n  dtype differs: \"" << name << "\" is " << dtype << " here but "
             << value.dtype() << " in the state";
}

// The same for an entry of a parameter: a step is an integer, everything else has one value for
// each of the parameter's.
void check_entry(const std::string& name, const Tensor& value, const Tensor& param,
                 std::ostream& problems) {
  if (name.substr(name.rfind('.')) == ".step")
    check_entry(name, value, {}, kLong, problems);
  else
    check_entry(name, value, param.sizes(), param.dtype(), problems);
}

// Writes which names only one side has; a parameter's entries that do not fit are told already.
void check_names(const StateDict& state, const StateDict& wanted,
                 const std::vector<std::string>& told, std::ostream& problems) {
  for (const auto& item : wanted)
    if (!state.contains(item.key())) problems << "\n  missing: \"" << item.key() << '"';
  for (const auto& item : state) {
    const bool is_told = std::any_of(told.begin(), told.end(), [&](const std::string& prefix) {
      return belongs_to(prefix, item.key());
    });
    if (!is_told && !wanted.contains(item.key()))
      problems << "\n  unexpected: \"" << item.key() << '"';
  }
}

}  // namespace

void Optimizer::visit_params(
    const StateDict& names, const std::function<void(const std::string&, const Tensor&)>& f) const {
  std::size_t index = 0;
  for (const OptimizerParamGroup& group : groups_)
    for (const Tensor& param : group.params()) {
      std::string name = std::to_string(index);
      if (!names.is_empty()) {
        const auto found = std::find_if(names.begin(), names.end(), [&](const auto& item) {
          return item.value().is_same(param);
        });
        TD_CHECK(Error, found != names.end(), "optimizer: parameter ", index, " of size ",
                 param.sizes(),
                 " has no name in the list given; give the named_parameters() of "
                 "the module that holds it");
        name = found->key();
      }
      f("state." + name + ".", param);
      ++index;
    }
}

StateDict Optimizer::collect(const StateDict& names, const States& states) const {
  StateDict all("Entry");
  visit_params(names, [&](const std::string& prefix, const Tensor& param) {
    const auto found = states.find(param.impl_ptr().get());
    if (found != states.end() && found->second) found->second->save(prefix, all);
  });
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::string prefix = group_prefix(g);
    // visit() hands out places to write to, so it needs options of its own.
    groups_[g].options().clone()->visit([&](const char* name, double& value) {
      all.insert(prefix + name, full({}, value, kDouble));
    });
    all.insert(prefix + "params", full({}, groups_[g].params().size(), kDouble));
  }
  return all;
}

StateDict Optimizer::state_dict(const StateDict& names) const { return collect(names, state_); }

void Optimizer::check_groups(const StateDict& state) const {
  for (std::size_t g = 0; g <= groups_.size(); ++g) {
    const Tensor* count = state.find(group_prefix(g) + "params");
    const bool expected = g < groups_.size();
    TD_CHECK(Error, (count != nullptr) == expected, "load_state_dict: the state has ",
             expected ? "fewer" : "more", " parameter groups than this optimizer's ",
             groups_.size());
    if (!expected) break;
    const auto params = static_cast<double>(groups_[g].params().size());
    TD_CHECK(Error, count->item<double>() == params, "load_state_dict: parameter group ", g,
             " has ", params, " parameters here but ", count->item<double>(), " in the state");
  }
}

void Optimizer::load_state_dict(const StateDict& state, const StateDict& names) {
  check_groups(state);
  std::ostringstream problems;
  for (const auto& item : state)
    if (starts_with(item.key(), "param_groups."))
      check_entry(item.key(), item.value(), {}, kDouble, problems);
  States loaded;
  std::vector<std::string> told;
  visit_params(names, [&](const std::string& prefix, const Tensor& param) {
    const auto before = problems.tellp();
    for (const auto& item : state)
      if (belongs_to(prefix, item.key())) check_entry(item.key(), item.value(), param, problems);
    auto& entry = loaded[param.impl_ptr().get()] = make_state();
    if (problems.tellp() == before)
      entry->load(prefix, state);
    else
      told.push_back(prefix);
  });
  // What the new states would save is what there is to load.
  check_names(state, collect(names, loaded), told, problems);
  TD_CHECK(Error, problems.str().empty(),
           "load_state_dict: the state does not fit this optimizer, and nothing was changed:",
           problems.str());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    OptimizerOptions& options = groups_[g].options();
    options.visit([&](const char* name, double& value) {
      value = state[group_prefix(g) + name].item<double>();
    });
    options.set_lr(options.get_lr());  // in device memory, too
  }
  state_ = std::move(loaded);
}

}  // namespace td::optim
