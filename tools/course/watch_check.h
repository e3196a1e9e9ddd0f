// A check in a background thread, so that the screen reacts to keys while a compiler runs. Used by
// watch_session.cpp. Invariant: at most one check runs, and none after the end of the object.
#pragma once

#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "check_exercise.h"
#include "os/file.h"

namespace course {

/// What is known about a check.
struct CheckState {
  bool running = false;
  std::string progress;            ///< "building [3/12]" while the build runs, else empty.
  std::optional<Checked> checked;  ///< Once there is a verdict.
  std::string warning;             ///< Of nvcc, which comes after the verdict.
};

/// Runs one check at a time.
class BackgroundCheck {
 public:
  explicit BackgroundCheck(const Course& course);
  ~BackgroundCheck() { stop(); }
  BackgroundCheck(const BackgroundCheck&) = delete;
  BackgroundCheck& operator=(const BackgroundCheck&) = delete;

  /// Ends the running check and starts this one.
  void start(const Exercise& e);
  /// Ends the running check, with all that it has started. Its verdict is dropped.
  void stop();
  /// Readable when there is something new.
  int descriptor() const { return news_.get(); }
  /// What is known now. @throws what the check has thrown.
  CheckState state();

 private:
  void work(const Exercise& e);
  void tell(const std::function<void(CheckState&)>& change);

  const Course& course_;
  td::FileDescriptor news_, stop_;
  std::thread thread_;
  std::mutex mutex_;  // of the two below
  CheckState state_;
  std::exception_ptr error_;
};

}  // namespace course
