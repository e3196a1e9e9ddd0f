// The handler writes the signal's number into a pipe.
#include "watch_signals.h"

#include <fcntl.h>

#include <cerrno>

#include "os/start_process.h"

namespace course {
namespace {

int pipe_of_handler = -1;

void on_signal(int signal) {
  const int before = errno;
  const auto byte = static_cast<unsigned char>(signal);
  // If the pipe is full, it already contains enough signals.
  if (write(pipe_of_handler, &byte, 1) < 0) errno = before;
  errno = before;
}

}  // namespace

Signals::Signals(const std::vector<int>& caught) {
  td::Pipe pipe("cannot watch", O_NONBLOCK);
  from_ = std::move(pipe.from);
  into_ = std::move(pipe.into);
  pipe_of_handler = into_.get();
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int signal : caught) {
    Before before{signal, {}};
    sigaction(signal, &action, &before.action);
    before_.push_back(before);
  }
}

Signals::~Signals() {
  for (const auto& before : before_) sigaction(before.signal, &before.action, nullptr);
}

int Signals::take() {
  unsigned char byte = 0;
  return read(from_.get(), &byte, 1) == 1 ? byte : 0;
}

void suspend_process() {
  struct sigaction stop {
  }, before{};
  stop.sa_handler = SIG_DFL;
  sigaction(SIGTSTP, &stop, &before);
  raise(SIGTSTP);
  sigaction(SIGTSTP, &before, nullptr);
}

}  // namespace course
