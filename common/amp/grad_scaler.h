// Keeps half-precision gradients from vanishing: the loss is multiplied by a scale before backward,
// the gradients are divided by it before the step, and a step whose gradients overflowed is
// skipped. Invariant: the scale, its counter and the found_inf flags are stored on the device; only
// step() and the getters block until these are known.
#pragma once

#include <vector>

#include "td/base/objects.h"
#include "td/optim/optimizer.h"

namespace td::amp {

/// Names and values of a scaler's state.
using StateDict = optim::StateDict;

/// Settings of GradScaler, with PyTorch's names and defaults.
struct GradScalerOptions {
  /// The scale to begin with.
  TD_ARG(double, init_scale) = 65536;
  /// The scale is multiplied by this after growth_interval steps in a row without overflow;
  /// above 1.
  TD_ARG(double, growth_factor) = 2;
  /// The scale is multiplied by this after an overflow; below 1.
  TD_ARG(double, backoff_factor) = 0.5;
  /// How many steps in a row must be finite before the scale grows.
  TD_ARG(std::int64_t, growth_interval) = 2000;
  /// When false, the scaler changes nothing, so that float32 needs no code of its own.
  TD_ARG(bool, enabled) = true;
};

/// PyTorch's torch.amp.GradScaler.
///
///     scaler.scale(loss).backward();
///     scaler.unscale_(optimizer);                                     // only to clip
///     nn::utils::clip_grad_norm_(model->parameters(), 1.0);           // only to clip
///     scaler.step(optimizer);
///     scaler.update();                                                // once an iteration, always
///
/// The scale has no lower bound. Infinite or NaN gradients that appear after unscale_ go unnoticed.
class GradScaler {
 public:
  /// @throws Error for options out of range.
  explicit GradScaler(const GradScalerOptions& options = {});
  GradScaler(const GradScaler&) = delete;
  GradScaler& operator=(const GradScaler&) = delete;

  /// Returns `outputs` times the scale, recorded for backward. The first call creates the scale on
  /// the device of its argument.
  Tensor scale(const Tensor& outputs);
  TensorList scale(const TensorList& outputs);

  /// Divides the optimizer's gradients by the scale, in place, and records whether one is infinite
  /// or NaN. Call it to inspect or clip gradients before step(), which otherwise does this itself.
  /// @throws Error when called twice, after step(), or before the first scale().
  /// @throws DtypeError for float16 gradients: their parameters should be float32, under autocast.
  void unscale_(optim::Optimizer& optimizer);
  /// Steps unless a gradient was infinite or NaN. Blocks once for each device that has gradients.
  /// @return true when the optimizer stepped, false when the step was skipped.
  /// @param closure only for a scaler that is not enabled, which passes it to the optimizer.
  /// @throws Error when called twice before update(), before the first scale(), or without any
  /// gradient.
  bool step(optim::Optimizer& optimizer, optim::Optimizer::LossClosure closure = nullptr);
  /// step() without blocking, for a capturable optimizer, whose kernels read from device memory
  /// whether to step and by how much to divide. For graphs, and where one wait per step costs too
  /// much. Unlike after step(), gradients that unscale_ did not divide stay multiplied by the
  /// scale. found_inf() tells whether the step was made. @throws Error as step() does, and for an
  /// optimizer without capturable(true).
  void step_on_device(optim::Optimizer& optimizer);
  /// Lowers the scale if any gradient since the last update() was infinite or NaN; otherwise raises
  /// it after growth_interval finite steps. Does not block. @throws Error before unscale_ and step.
  void update();
  /// Sets the scale instead; the count of finite steps is not reset.
  void update(double new_scale);
  /// @param new_scale one float32 that does not require grad.
  void update(const Tensor& new_scale);

  /// The flags that unscale_ or step set for this optimizer since the last update(): one float32
  /// tensor, 0 or 1, for each device that has gradients.
  TensorList found_inf(const optim::Optimizer& optimizer) const;
  /// The scale, 1 when not enabled. Blocks until the device has computed it.
  double get_scale() const;
  /// Consecutive steps without overflow since the scale last changed. Blocks like get_scale().
  std::int64_t get_growth_tracker() const;
  /// The settings as they are now.
  ///@{
  double get_growth_factor() const { return options_.growth_factor(); }
  double get_backoff_factor() const { return options_.backoff_factor(); }
  std::int64_t get_growth_interval() const { return options_.growth_interval(); }
  bool is_enabled() const { return options_.enabled(); }
  ///@}
  /// New settings, used by the next update(). A growth interval below get_growth_tracker() stops
  /// the growth until the next overflow. @throws Error as the constructor does.
  ///@{
  void set_growth_factor(double factor) {
    set_options(GradScalerOptions(options_).growth_factor(factor));
  }
  void set_backoff_factor(double factor) {
    set_options(GradScalerOptions(options_).backoff_factor(factor));
  }
  void set_growth_interval(std::int64_t interval) {
    set_options(GradScalerOptions(options_).growth_interval(interval));
  }
  ///@}

  /// Scale, factors, interval and growth tracker; empty when not enabled. Call it after update().
  StateDict state_dict() const;
  /// Loads such a state; does nothing when not enabled. @throws Error for a state that lacks an
  /// entry, or is empty because its scaler was not enabled; nothing is changed then.
  void load_state_dict(const StateDict& state);

 private:
  enum class Stage { kReady, kUnscaled, kStepped };
  // What happened to one optimizer since the last update().
  struct Progress {
    const optim::Optimizer* optimizer;
    Stage stage = Stage::kReady;
    SmallVector<Tensor, 1> found_inf;  // one per device
  };

  void set_options(const GradScalerOptions& o);
  Progress& progress_of(const optim::Optimizer& optimizer);
  void check_scale(const char* call) const;
  void check_list(const Tensor* const* gradients, std::size_t count, Progress& progress,
                  bool divide);
  void check_gradients(const optim::Optimizer& optimizer, Progress& progress, bool divide);
  Progress& about_to_step(const char* call, const optim::Optimizer& optimizer, bool divide);

  GradScalerOptions options_;
  std::int64_t init_growth_tracker_ = 0;
  Tensor scale_, growth_tracker_;   // undefined before the first scale()
  std::vector<Progress> progress_;  // emptied by update(), which keeps its capacity
};

}  // namespace td::amp
