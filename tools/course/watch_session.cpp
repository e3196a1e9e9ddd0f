// One poll(2) for keys, saved files, verdicts and signals.
#include "watch_session.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace course {
namespace {

constexpr int kRedraw = 500;  // milliseconds between two redraws of the time a check has taken

/// Ctrl-Z and the size of the window only matter for a screen.
std::vector<int> signals_to_catch(bool screen) {
  if (screen) return {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH};
  return {SIGINT, SIGTERM, SIGHUP};
}

}  // namespace

WatchSession::WatchSession(const Course& course, const Exercise& first, int keys, bool poll)
    : current_(&first),
      keys_(keys),
      files_(course, poll),
      signals_(signals_to_catch(keys >= 0)),
      check_(course) {
  check();
}

void WatchSession::check() {
  check_.start(*current_);
  state_ = check_.state();
  started_ = Clock::now();
}

void WatchSession::move_to(const Exercise& e) {
  current_ = &e;
  check();
}

double WatchSession::seconds() const {
  const auto until = state_.checked ? ended_ : Clock::now();
  return std::chrono::duration<double>(until - started_).count();
}

int WatchSession::wait_time() const {
  using std::chrono::milliseconds;
  const auto since = std::chrono::duration_cast<milliseconds>(Clock::now() - looked_).count();
  const int look = std::max(0, files_.interval() - static_cast<int>(since));
  return state_.running && keys_ >= 0 ? std::min(look, kRedraw) : look;
}

bool WatchSession::follow_saves() {
  looked_ = Clock::now();
  const auto changed = files_.changed();
  if (changed.empty()) return false;
  // "Save all" also saves other files: the current exercise then stays the same.
  if (std::find(changed.begin(), changed.end(), current_) == changed.end())
    current_ = changed.front();
  check();
  return true;
}

WatchEvent WatchSession::news() {
  const bool had_verdict = state_.checked.has_value();
  state_ = check_.state();
  if (!state_.checked) return WatchEvent::checking;
  if (!had_verdict) ended_ = Clock::now();
  return had_verdict && state_.warning.empty() ? WatchEvent::checking : WatchEvent::verdict;
}

bool WatchSession::is_ending() {
  while (const int signal = signals_.take())
    if (signal == SIGTERM || signal == SIGHUP) pending_ = signal;
  return pending_ != 0;
}

void WatchSession::wait_for_enter() {
  char byte = 0;
  while (pending_ == 0) {
    const ssize_t got = read(keys_, &byte, 1);
    if (got == 0 || (got < 0 && errno != EINTR) || byte == '\n') return;
    // A change of the window's size is not an answer.
    if (const int signal = signals_.take(); signal != SIGWINCH) pending_ = signal;
  }
}

WatchEvent WatchSession::wait() {
  while (true) {
    pollfd sources[] = {{signals_.descriptor(), POLLIN, 0},
                        {keys_, POLLIN, 0},
                        {files_.descriptor(), POLLIN, 0},
                        {check_.descriptor(), POLLIN, 0}};
    if (pending_ == 0) poll(sources, 4, wait_time());  // a signal that interrupts it is in its pipe
    signal_ = pending_ != 0 ? std::exchange(pending_, 0) : signals_.take();
    // A closed terminal has no keys, and would be readable forever.
    if ((sources[1].revents & (POLLHUP | POLLERR)) != 0) signal_ = SIGHUP;
    if (signal_ != 0) return WatchEvent::signal;
    if (sources[1].revents != 0) return WatchEvent::key;
    // The files are checked before the verdict, because a verdict on an older text is not shown.
    const bool due = Clock::now() - looked_ >= std::chrono::milliseconds(files_.interval());
    if ((sources[2].revents != 0 || due) && follow_saves()) return WatchEvent::checking;
    if (sources[3].revents != 0) return news();
    if (state_.running && keys_ >= 0) return WatchEvent::checking;
  }
}

}  // namespace course
