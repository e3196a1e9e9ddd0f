// Lets one command at a time build: a second one waits. tools/shell/build.sh locks the same file.
#pragma once

#include <functional>

#include "course.h"
#include "os/file.h"

namespace course {

/// What a command says while it waits.
inline constexpr char kWaitingForBuild[] = "another command builds; waiting for it";

/// The lock of a build directory, until the end of the scope.
class BuildLock {
 public:
  /// Waits until no other command builds in `build`, or until the descriptor `stop` becomes
  /// readable.
  /// @param on_wait called once if it has to wait.
  BuildLock(const fs::path& build, int stop, const std::function<void()>& on_wait);
  /// Whether `stop` has ended the wait.
  bool stopped() const { return stopped_; }

 private:
  td::FileDescriptor file_;
  bool stopped_ = false;
};

}  // namespace course
