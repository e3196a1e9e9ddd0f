// The choice of a device, Ctrl-C, and the moving line of a program on a terminal.
// Invariant: the device is always printed, because a silent fallback would look like a GPU.
#include "app/app.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>

namespace app {
namespace {

td::Device automatic() {
  if (td::device_count(td::kCUDA) > 0) {
    std::cout << "device: cuda:0 (" << td::device_name(td::Device(td::kCUDA, 0)) << ")\n";
    return td::Device(td::kCUDA, 0);
  }
  std::cout << "device: sim:0 (no GPU here; the software accelerator takes its place)\n";
  return td::check_device(td::Device(td::kSIM, 0));
}

td::Device named(const std::string& text) {
  const td::Device device = td::check_device(td::Device(text));
  std::cout << "device: " << device << '\n';
  return device;
}

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

td::Device choose_device(const Options& options) {
  return options.device == "auto" ? automatic() : named(options.device);
}

std::vector<td::Device> choose_devices(const Options& options) {
  if (options.devices.empty()) return {choose_device(options)};
  std::vector<td::Device> devices;
  for (const auto& text : options.devices) devices.push_back(named(text));
  return devices;
}

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
