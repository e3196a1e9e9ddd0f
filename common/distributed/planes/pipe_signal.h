// gloo writes to connections whose other end may be gone, for which the system ends a process by
// default (SIGPIPE), without a word. The gloo_*.cpp hold it off where gloo writes.
// Invariant: what the program itself does about the signal stays as it is.
#pragma once

#include <csignal>
#include <ctime>

namespace td::distributed {

/// While there is one, this thread gets no SIGPIPE, nor do threads that it starts, for good.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    if (sigismember(&before_, SIGPIPE)) return;
    const timespec at_once{0, 0};
    sigtimedwait(&pipe_, nullptr, &at_once);  // one that has come meanwhile
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_, before_;
};

}  // namespace td::distributed
