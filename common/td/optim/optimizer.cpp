// What an optimizer holds: groups of parameters, states made at the first step, and both by name,
// to save and to load. Invariant: a state is checked as a whole before it is loaded; one that does
// not fit changes nothing. zero_grad() and the lists of a step are in step.cpp.
#include "td/optim/optimizer.h"

#include <algorithm>

#include "td/ops/state.h"

namespace td::optim {

OptimizerParamGroup::OptimizerParamGroup(TensorList params,
                                         std::unique_ptr<OptimizerOptions> options)
    : params_(std::move(params)), options_(std::move(options)) {}
OptimizerParamGroup::OptimizerParamGroup(const OptimizerParamGroup& other)
    : params_(other.params_), options_(other.options_ ? other.options_->clone() : nullptr) {}

Optimizer::Optimizer(std::vector<OptimizerParamGroup> groups,
                     std::unique_ptr<OptimizerOptions> defaults)
    : defaults_(std::move(defaults)) {
  defaults_->check();
  for (const OptimizerParamGroup& group : groups) add_param_group(group);
}

Optimizer::~Optimizer() = default;

void Optimizer::check_new(const Tensor& param, std::size_t index) const {
  TD_CHECK(Error, param.defined(), "optimizer: parameter ", index, " is undefined");
  TD_CHECK(Error, param.is_leaf(), "optimizer: parameter ", index,
           " is the result of an operation, "
           "so stepping on it would not change what it came from; give the tensor itself, or "
           "detach() it");
  TD_CHECK(DtypeError, param.is_floating_point(), "optimizer: parameter ", index, " is ",
           param.dtype(), "; only floating point tensors are trained");
  for (const OptimizerParamGroup& group : groups_)
    for (const Tensor& other : group.params())
      TD_CHECK(Error, !other.is_same(param), "optimizer: parameter ", index,
               " is already in a parameter group; it would be changed twice a step");
}

void Optimizer::add_param_group(const OptimizerParamGroup& group) {
  const TensorList& params = group.params();
  for (std::size_t i = 0; i < params.size(); ++i) {
    check_new(params[i], i);
    check_may_add_params(params[i].device());
    for (std::size_t j = 0; j < i; ++j)
      TD_CHECK(Error, !params[j].is_same(params[i]), "optimizer: parameters ", j, " and ", i,
               " are the same tensor; it would be changed twice a step");
  }
  auto options = (group.has_options() ? group.options() : *defaults_).clone();
  options->check();
  groups_.emplace_back(params, std::move(options));
}

OptimizerParamState& Optimizer::state_of(const Tensor& param, const OptimizerOptions& options) {
  auto& state = state_[param.impl_ptr().get()];
  if (!state) {
    check_may_make_state(param.device());
    state = make_state();
  }
  if (state->on_device.defined() && !options.is_capturable()) [[unlikely]] {
    state->set_steps(state->on_device.count(0));
    state->on_device.clear();
  }
  return *state;
}

bool Optimizer::is_capturable() const {
  return std::all_of(groups_.begin(), groups_.end(), [](const OptimizerParamGroup& group) {
    return group.options().is_capturable();
  });
}

std::size_t Optimizer::size() const noexcept {
  std::size_t count = 0;
  for (const OptimizerParamGroup& group : groups_) count += group.params().size();
  return count;
}

void Optimizer::step_if_finite(const Tensor& found_inf, const Tensor& grad_scale) {
  TD_CHECK(
      Error, is_capturable(),
      "optimizer: this step is decided in device memory, but the learning rate or the count of "
      "steps is kept on the host; make the optimizer with capturable(true) in its options");
  const struct Forget {
    Optimizer& optimizer;
    ~Forget() { optimizer.amp_ = {}; }
  } forget{*this};
  amp_ = {{}, found_inf, grad_scale};
  step();
}

namespace {

std::string group_prefix(std::size_t group) {
  return "param_groups." + std::to_string(group) + ".";
}

// Whether an entry belongs to the parameter whose entries begin with `prefix`.
bool belongs_to(const std::string& prefix, const std::string& entry) {
  return entry.starts_with(prefix) && entry.find('.', prefix.size()) == entry.npos;
}

// Writes which names only one side has.
void check_names(const StateDict& state, const StateDict& wanted, std::ostream& problems) {
  for (const auto& item : wanted)
    if (!state.contains(item.key())) problems << "\n  missing: \"" << item.key() << '"';
  for (const auto& item : state)
    if (!wanted.contains(item.key())) problems << "\n  unexpected: \"" << item.key() << '"';
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
    // visit() gives references to write to, so it needs its own copy of the options.
    groups_[g].options().clone()->visit([&](const char* name, double& value) {
      all.insert(prefix + name, full({}, value, kDouble));
    });
    all.insert(prefix + "params", full({}, groups_[g].params().size(), kDouble));
  }
  return all;
}

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
    if (item.key().starts_with("param_groups."))
      check_entry(item.key(), item.value(), {}, kDouble, problems);
  States loaded;
  visit_params(names, [&](const std::string& prefix, const Tensor& param) {
    for (const auto& item : state) {
      if (!belongs_to(prefix, item.key())) continue;
      // A step is an integer; everything else has one value for each of the parameter's.
      const bool is_step = item.key().ends_with(".step");
      check_entry(item.key(), item.value(), is_step ? IntArrayRef() : param.sizes(),
                  is_step ? kLong : param.dtype(), problems);
    }
    auto& entry = loaded[param.impl_ptr().get()] = make_state();
    entry->load(prefix, state);
  });
  // What the new states would save is what there is to load.
  check_names(state, collect(names, loaded), problems);
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
