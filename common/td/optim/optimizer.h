// What all optimizers share: groups of parameters with options, and state for each parameter.
// step_list.h makes the lists of parameters that one launch updates. Invariant: parameters are held
// as the tensors they are, so a model that is moved after its optimizer was made continues to
// train; the state follows at the next step.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "td/base/arg.h"
#include "td/base/ordered_dict.h"
#include "td/optim/capturable.h"
#include "td/tensor/tensor.h"

namespace td::optim {

/// Names and values of a state or of options, as state_dict() holds them.
using StateDict = OrderedDict<std::string, Tensor>;

/// The state of an optimizer for one parameter.
class OptimizerParamState {
 public:
  virtual ~OptimizerParamState() = default;
  /// Adds the tensors under `prefix` + their names.
  virtual void save(const std::string& prefix, StateDict& state) const = 0;
  /// Reads them back. A value stays as it is when its entry is missing or, as an error, invalid.
  virtual void load(const std::string& prefix, const StateDict& state) = 0;

  /// @name For capturable steps, which count on the device
  /// @{
  /// The count of steps from which the device begins.
  virtual std::int64_t steps() const { return 1; }
  /// The device has counted `steps`, and the next step is a plain one.
  virtual void set_steps(std::int64_t) {}
  DeviceStepState on_device;  ///< what the device has counted; undefined after plain steps
  /// @}
};

/// Settings of one group of parameters.
class OptimizerOptions {
 public:
  virtual ~OptimizerOptions() = default;
  virtual std::unique_ptr<OptimizerOptions> clone() const = 0;
  /// The learning rate.
  virtual double get_lr() const = 0;
  /// Changes the learning rate. For a capturable optimizer also in device memory, in the order of
  /// the current stream, so that captured steps that are replayed later use it. Those of any other
  /// keep theirs, with a warning. @throws DeviceError while a graph is captured.
  virtual void set_lr(double lr) = 0;
  /// Calls `f` with the name of every number and a reference to it, for state_dict and
  /// load_state_dict. A switch counts as a number, 0 or 1.
  virtual void visit(const std::function<void(const char*, double&)>& f) = 0;
  /// @throws Error for settings out of range.
  virtual void check() const {}
  /// True when steps read what changes from step to step in device memory.
  virtual bool is_capturable() const { return false; }
  /// Where a capturable optimizer stores the learning rate for its kernels.
  DeviceScalar& device_lr() { return device_lr_; }

 private:
  DeviceScalar device_lr_;
};

/// Gives options classes their clone() and learning rate.
template <class Derived>
class OptimizerCloneableOptions : public OptimizerOptions {
 public:
  std::unique_ptr<OptimizerOptions> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
  double get_lr() const override { return static_cast<const Derived&>(*this).lr(); }
  void set_lr(double lr) override {
    device_lr().set(lr);
    static_cast<Derived&>(*this).lr(lr);
  }
};

/// Parameters that share options.
class OptimizerParamGroup {
 public:
  OptimizerParamGroup(TensorList params, std::unique_ptr<OptimizerOptions> options = nullptr);
  OptimizerParamGroup(const OptimizerParamGroup& other);
  OptimizerParamGroup(OptimizerParamGroup&&) = default;
  OptimizerParamGroup& operator=(OptimizerParamGroup&&) = default;

  /// True when it brought options of its own.
  bool has_options() const { return options_ != nullptr; }
  /// The options that it was made with.
  OptimizerOptions& options() { return *options_; }
  const OptimizerOptions& options() const { return *options_; }
  /// Its parameters.
  TensorList& params() { return params_; }
  const TensorList& params() const { return params_; }

 private:
  TensorList params_;
  std::unique_ptr<OptimizerOptions> options_;
};

/// Base of the optimizers.
class Optimizer {
 public:
  using LossClosure = std::function<Tensor()>;

  /// @throws Error for options out of range, and for a parameter that is undefined, a result of an
  /// operation, not floating point, or given twice.
  Optimizer(std::vector<OptimizerParamGroup> groups, std::unique_ptr<OptimizerOptions> defaults);
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer();

  /// Changes every parameter that has a gradient and skips the others. With a closure, calls it
  /// first (recording on) to compute loss and gradients, and returns the loss.
  virtual Tensor step(LossClosure closure = nullptr) = 0;
  /// step() as the device decides, without a synchronization: where `*found_inf` is not 0 nothing
  /// changes and no step is counted, else gradients are divided by `*grad_scale` as they are read.
  /// They stay as they are in memory. Called by amp::GradScaler::step_on_device().
  /// @param found_inf,grad_scale float32 tensors of one element; grad_scale may be undefined.
  /// @throws Error when a group is not capturable.
  void step_if_finite(const Tensor& found_inf, const Tensor& grad_scale = {});
  /// True when all groups have capturable(true), so that steps read what changes from step to step
  /// in device memory.
  bool is_capturable() const;
  /// Sets every gradient to zero, or, with `set_to_none`, drops it.
  void zero_grad(bool set_to_none = false);

  /// Adds parameters, with the default options unless the group brings its own.
  /// @throws DeviceError while a graph is captured, unless they are on the cpu.
  void add_param_group(const OptimizerParamGroup& group);
  /// Parameters with their options, group by group.
  std::vector<OptimizerParamGroup>& param_groups() noexcept { return groups_; }
  const std::vector<OptimizerParamGroup>& param_groups() const noexcept { return groups_; }
  /// The parameters of the first group.
  const TensorList& parameters() const { return groups_.at(0).params(); }
  /// How many parameters there are, over all groups.
  std::size_t size() const noexcept;
  /// Options of groups that bring none.
  OptimizerOptions& defaults() noexcept { return *defaults_; }
  const OptimizerOptions& defaults() const noexcept { return *defaults_; }
  /// The state by parameter (its impl()); empty before the first step.
  std::unordered_map<const TensorImpl*, std::unique_ptr<OptimizerParamState>>& state() noexcept {
    return state_;
  }

  /// State and options by name: "state.fc1.weight.momentum_buffer", "param_groups.0.lr".
  /// @param names what the parameters are called, as model->named_parameters() gives them; without
  /// it they are numbered over all groups, as in Python.
  /// @throws Error when `names` lacks a parameter of this optimizer.
  StateDict state_dict(const StateDict& names = StateDict("Parameter")) const {
    return collect(names, state_);
  }
  /// Loads a state that was made with the same kind of names; at the next step its tensors follow
  /// the parameters to their devices.
  /// @throws Error when groups differ in number or size, and one that lists every entry that is
  /// missing, unexpected or of another size or type; nothing is changed then.
  void load_state_dict(const StateDict& state, const StateDict& names = StateDict("Parameter"));

 protected:
  /// A new state of one parameter.
  virtual std::unique_ptr<OptimizerParamState> make_state() const = 0;
  /// Runs the closure, if any, with recording on.
  static Tensor loss_of(const LossClosure& closure);

 private:
  friend class StepList;
  using States = std::unordered_map<const TensorImpl*, std::unique_ptr<OptimizerParamState>>;

  void check_new(const Tensor& param, std::size_t index) const;
  OptimizerParamState& state_of(const Tensor& param, const OptimizerOptions& options);
  void check_groups(const StateDict& state) const;
  // Calls f("state.<name>.", parameter) for every parameter.
  void visit_params(const StateDict& names,
                    const std::function<void(const std::string&, const Tensor&)>& f) const;
  StateDict collect(const StateDict& names, const States& states) const;

  std::vector<OptimizerParamGroup> groups_;
  States state_;
  std::unique_ptr<OptimizerOptions> defaults_;
  CapturableTensors amp_;  // what step_if_finite() was called with
};

}  // namespace td::optim
