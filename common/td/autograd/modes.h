// Scopes that say whether operations are recorded. Thread-local, as in libtorch.
#pragma once

#include "td/device/thread_state.h"

namespace td {

/// Whether operations are recorded in this thread.
struct GradMode {
  /// The mode of this thread.
  static bool is_enabled() { return thread_state().grad_mode; }
  /// Changes it; prefer a guard.
  static void set_enabled(bool enabled) { thread_state().grad_mode = enabled; }
};

/// Switches recording on or off until the end of the scope.
class AutoGradMode {
 public:
  explicit AutoGradMode(bool enabled) : previous_(GradMode::is_enabled()) {
    GradMode::set_enabled(enabled);
  }
  ~AutoGradMode() { GradMode::set_enabled(previous_); }
  AutoGradMode(const AutoGradMode&) = delete;
  AutoGradMode& operator=(const AutoGradMode&) = delete;

 private:
  bool previous_;
};

/// No recording until the end of the scope: inference, optimizers, initialisation.
class NoGradGuard : public AutoGradMode {
 public:
  NoGradGuard() : AutoGradMode(false) {}
};

/// Like NoGradGuard, and tensors made here can never join a graph later, which spares bookkeeping.
/// One that is not `enabled` is an island inside of it where operations are recorded, also under a
/// NoGradGuard, as in libtorch. While it is enabled an AutoGradMode(true) records nothing.
class InferenceMode {
 public:
  explicit InferenceMode(bool enabled = true)
      : previous_(thread_state().inference_mode), grad_(!enabled) {
    thread_state().inference_mode = enabled;
  }
  ~InferenceMode() { thread_state().inference_mode = previous_; }
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;
  /// The mode of this thread.
  static bool is_enabled() { return thread_state().inference_mode; }

 private:
  bool previous_;
  AutoGradMode grad_;
};

/// Where libtorch has them as well.
namespace autograd {
using td::AutoGradMode;
using td::GradMode;
using td::InferenceMode;
}  // namespace autograd

}  // namespace td
