// Scopes that say whether operations are recorded. Thread-local, as in libtorch.
#pragma once

#include "td/device/context.h"

namespace td {

/// Whether operations are recorded in this thread.
struct GradMode {
  static bool is_enabled() { return context().grad_mode; }  ///< the mode of this thread
  /// Changes the mode; prefer a guard.
  static void set_enabled(bool enabled) { context().grad_mode = enabled; }
};

/// Switches recording on or off until the end of the scope.
struct AutoGradMode : ScopedValue<bool> {
  explicit AutoGradMode(bool enabled) : ScopedValue(context().grad_mode, enabled) {}
};

/// No recording until the end of the scope: inference, optimizers, initialization.
struct NoGradGuard : AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};

/// Like NoGradGuard; in addition, tensors made here can never join a graph, which saves
/// bookkeeping. Inside it, a guard that is not `enabled` records again, even under a NoGradGuard,
/// as in libtorch. While it is enabled, AutoGradMode(true) has no effect.
class InferenceMode {
 public:
  explicit InferenceMode(bool enabled = true)
      : inference_(context().inference_mode, enabled), grad_(!enabled) {}
  static bool is_enabled() { return context().inference_mode; }  ///< the mode of this thread

 private:
  ScopedValue<bool> inference_;
  AutoGradMode grad_;
};

// libtorch has these names in this namespace, too.
namespace autograd {
using td::AutoGradMode;
using td::GradMode;
using td::InferenceMode;
}  // namespace autograd

}  // namespace td
