// The program leads its own process group, which becomes the terminal's foreground group.
#include "foreground.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "os/start_process.h"
#include "watch_signals.h"

namespace course {
namespace {

/// Only the foreground group may read the terminal. A background process that wants to become the
/// foreground gets SIGTTOU, unless it blocks it.
void give_terminal_to(pid_t group) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  tcsetpgrp(STDIN_FILENO, group);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

int run_in_foreground(const std::vector<std::string>& words,
                      const std::function<bool()>& is_ending) {
  td::ChildProgram child;
  child.words = words;
  child.input = STDIN_FILENO;
  child.when_parent_dies = SIGTERM;
  const pid_t pid = td::start_process(child);
  give_terminal_to(pid);
  int status = 0;
  while (true) {
    if (waitpid(pid, &status, WUNTRACED) < 0) {
      if (errno != EINTR) break;
      if (is_ending()) kill(-pid, SIGTERM);
      continue;
    }
    if (!WIFSTOPPED(status)) break;
    // It may have used the terminal before it had it; any other stop comes from the user.
    if (WSTOPSIG(status) == SIGTSTP || WSTOPSIG(status) == SIGSTOP) {
      give_terminal_to(getpgrp());
      suspend_process();
    }
    give_terminal_to(pid);
    kill(-pid, SIGCONT);
  }
  give_terminal_to(getpgrp());
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace course
