// Scopes that say whether operations are recorded. Thread-local, as in libtorch.
#pragma once

#include "td/device/thread_state.h"

namespace td {

/// Whether operations are recorded in this thread.
struct GradMode {
  static bool is_enabled() { return thread_state().grad_mode; }  ///< the mode of this thread
  /// Changes it; prefer a guard.
  static void set_enabled(bool enabled) { thread_state().grad_mode = enabled; }
};

/// Switches recording on or off until the end of the scope.
struct AutoGradMode : ScopedValue<bool> {
  explicit AutoGradMode(bool enabled) : ScopedValue(thread_state().grad_mode, enabled) {}
};

/// No recording until the end of the scope: inference, optimizers, initialization.
struct NoGradGuard : AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};

/// Like NoGradGuard, and tensors made here can never join a graph later, which spares bookkeeping.
/// One that is not `enabled` is an island inside of it where operations are recorded, also under a
/// NoGradGuard, as in libtorch. While it is enabled an AutoGradMode(true) records nothing.
class InferenceMode {
 public:
  explicit InferenceMode(bool enabled = true)
      : inference_(thread_state().inference_mode, enabled), grad_(!enabled) {}
  static bool is_enabled() { return thread_state().inference_mode; }  ///< the mode of this thread

 private:
  ScopedValue<bool> inference_;
  AutoGradMode grad_;
};

// Where libtorch has them as well.
namespace autograd {
using td::AutoGradMode;
using td::GradMode;
using td::InferenceMode;
}  // namespace autograd

}  // namespace td
