// Keeps half-precision gradients from vanishing: the loss is multiplied by a scale before backward,
// the gradients are divided by it before the step, and a step whose gradients overflowed is
// skipped. Invariant: the scale, its counter and what was found live on the device; only step() and
// the getters wait for them.
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
  /// Without it every call passes through, so that a program needs no second way for float32.
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
/// The scale has no lower bound. Gradients that are spoiled after unscale_ are not noticed.
class GradScaler {
 public:
  /// @throws Error for options out of range.
  explicit GradScaler(const GradScalerOptions& options = {});
  GradScaler(const GradScaler&) = delete;
  GradScaler& operator=(const GradScaler&) = delete;

  /// `outputs` times the scale, recorded for backward. The first call puts the scale on the device
  /// of its argument.
  Tensor scale(const Tensor& outputs);
  TensorList scale(const TensorList& outputs);

  /// Divides the optimizer's gradients by the scale, in place, and notes whether one is infinite or
  /// NaN. Call it to look at gradients or to clip them before step(), which else does it itself.
  /// @throws Error when called twice, after step(), or before the first scale().
  /// @throws DtypeError for float16 gradients: their parameters should be float32, under autocast.
  void unscale_(optim::Optimizer& optimizer);
  /// Steps unless a gradient was infinite or NaN. Waits for the device, once for each device that
  /// has gradients. @return true when the optimizer stepped, false when the step was skipped.
  /// @param closure only for a scaler that is not enabled, which hands it on.
  /// @throws Error when called twice before update(), before the first scale(), or without any
  /// gradient.
  bool step(optim::Optimizer& optimizer, optim::Optimizer::LossClosure closure = nullptr);
  /// step() without waiting, for a capturable optimizer: its kernels read on the device whether to
  /// step and by how much to divide. For graphs, and where a wait a step costs too much. Unlike
  /// after step(), gradients that unscale_ did not divide stay multiplied by the scale.
  /// Whether it stepped is in found_inf(). @throws Error as step() does, and for an optimizer
  /// without capturable(true).
  void step_on_device(optim::Optimizer& optimizer);
  /// Backs the scale off if any gradient since the last update() was infinite or NaN, else lets it
  /// grow when it is time. Does not wait. @throws Error when neither unscale_ nor step was called.
  void update();
  /// Sets the scale instead; the count of finite steps goes on.
  void update(double new_scale);
  /// @param new_scale one float32 that does not require grad.
  void update(const Tensor& new_scale);

  /// What unscale_ or step noted for this optimizer since the last update(): one float32 tensor for
  /// each device that has gradients, 0 or 1.
  TensorList found_inf(const optim::Optimizer& optimizer) const;
  /// The scale, 1 when not enabled. Waits for the device.
  double get_scale() const;
  /// Steps in a row without overflow since the scale last changed. Waits for the device.
  std::int64_t get_growth_tracker() const;
  /// The settings as they are now.
  ///@{
  double get_growth_factor() const { return options_.growth_factor(); }
  double get_backoff_factor() const { return options_.backoff_factor(); }
  std::int64_t get_growth_interval() const { return options_.growth_interval(); }
  bool is_enabled() const { return options_.enabled(); }
  ///@}
  /// New settings, from the next update() on. A growth interval below get_growth_tracker() stops
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

  /// Scale, factors, interval and growth tracker; nothing when not enabled. Call it after update().
  StateDict state_dict() const;
  /// Puts that back; does nothing when not enabled. @throws Error for a state that is empty, as
  /// that of a scaler that was not enabled is, or that lacks an entry; nothing is changed then.
  void load_state_dict(const StateDict& state);

 private:
  enum class Stage { kReady, kUnscaled, kStepped };
  // What happened to one optimizer since the last update().
  struct Progress {
    const optim::Optimizer* optimizer;
    Stage stage = Stage::kReady;
    SmallVector<Tensor, 1> found_inf;  // one a device
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
  std::vector<Progress> progress_;  // emptied by update(), which keeps its room
};

}  // namespace td::amp
