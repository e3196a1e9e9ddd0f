// Two eventfds: one wakes the screen, the other ends the processes that the check has started.
#include "watch_check.h"

#include <sys/eventfd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace course {
namespace {

td::FileDescriptor new_eventfd() {
  const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0)
    throw std::runtime_error(std::string("cannot watch: no eventfd: ") + std::strerror(errno));
  return td::FileDescriptor(descriptor);
}

void raise_flag(const td::FileDescriptor& flag) { eventfd_write(flag.get(), 1); }

void lower_flag(const td::FileDescriptor& flag) {
  eventfd_t ignored = 0;
  eventfd_read(flag.get(), &ignored);
}

}  // namespace

BackgroundCheck::BackgroundCheck(const Course& course)
    : course_(course), news_(new_eventfd()), stop_(new_eventfd()) {}

void BackgroundCheck::start(const Exercise& e) {
  stop();
  state_ = {};
  state_.running = true;
  error_ = nullptr;
  thread_ = std::thread([this, &e] { work(e); });
}

void BackgroundCheck::stop() {
  if (!thread_.joinable()) return;
  raise_flag(stop_);
  thread_.join();
  lower_flag(stop_);
  lower_flag(news_);
  state_.running = false;
}

CheckState BackgroundCheck::state() {
  const std::lock_guard<std::mutex> lock(mutex_);
  lower_flag(news_);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  return state_;
}

void BackgroundCheck::tell(const std::function<void(CheckState&)>& change) {
  const std::lock_guard<std::mutex> lock(mutex_);
  change(state_);
  raise_flag(news_);
}

void BackgroundCheck::work(const Exercise& e) {
  // The main thread handles signals, and blocks some of them while it draws.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  Supervision supervision;
  supervision.stop = stop_.get();
  supervision.on_progress = [this](const std::string& text) {
    tell([&](CheckState& state) { state.progress = text; });
  };
  try {
    const Checked checked = check_exercise(course_, e, supervision);
    if (checked.stopped) return;
    tell([&](CheckState& state) {
      state.progress.clear();
      state.checked = checked;
    });
    supervision.on_progress = [](const std::string&) {};
    std::string warning;
    if (checked.verdict.result == Result::pass) warning = nvcc_warning(course_, e, supervision);
    tell([&](CheckState& state) {
      state.warning = warning;
      state.running = false;
    });
  } catch (...) {
    const std::lock_guard<std::mutex> lock(mutex_);
    error_ = std::current_exception();
    raise_flag(news_);
  }
}

}  // namespace course
