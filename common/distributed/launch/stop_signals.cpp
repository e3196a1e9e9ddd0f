// The oldest way to wait for signals and files at once: the handler writes into a pipe.
#include "distributed/launch/stop_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "td/base/error.h"

namespace td::distributed {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<int> into{-1};  // the pipe's writing end; a handler has no other way to know it

extern "C" void note_signal(int signal) {
  const int before = errno;
  const auto byte = static_cast<unsigned char>(signal);
  [[maybe_unused]] const ssize_t written = write(into, &byte, 1);
  errno = before;
}

}  // namespace

StopSignals::StopSignals() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    fail<Error>("cannot watch for signals: no pipe: ", std::strerror(errno));
  int none = -1;
  if (!into.compare_exchange_strong(none, ends[1])) {
    close(ends[0]);
    close(ends[1]);
    fail<Error>("this process is launching ranks already; wait for them before launching others");
  }
  from_ = ends[0];
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  for (int i = 0; i < 3; ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (int i = 0; i < 3; ++i) sigaction(kSignals[i], &before_[i], nullptr);
  close(into.exchange(-1));
  close(from_);
}

int StopSignals::next() {
  unsigned char signal = 0;
  return read(from_, &signal, 1) == 1 ? signal : 0;
}

}  // namespace td::distributed
