// Ctrl-C and the moving line: what a program does with the person before it.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>

#include "app/app.h"

namespace app {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch such");

void on_interrupt(int) {
  stop = true;
  // A second Ctrl-C ends the process: a step may hang.
  std::signal(SIGINT, SIG_DFL);
}

std::int64_t milliseconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

bool stop_requested() {
  static const auto installed = std::signal(SIGINT, on_interrupt);
  static_cast<void>(installed);
  return stop;
}

ProgressLine::ProgressLine() : terminal_(isatty(STDOUT_FILENO) == 1) {}

void ProgressLine::show(const std::string& text) {
  if (!terminal_ || milliseconds_now() - shown_at_ < 100) return;
  shown_at_ = milliseconds_now();
  const std::size_t before = width_;
  width_ = text.size();
  std::cout << '\r' << text << std::string(before > width_ ? before - width_ : 0, ' ')
            << std::flush;
}

void ProgressLine::clear() {
  if (width_ == 0) return;
  std::cout << '\r' << std::string(width_, ' ') << '\r' << std::flush;
  width_ = 0;
}

}  // namespace app
