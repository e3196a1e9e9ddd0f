// The reaper is a copy of the launcher that never executes another program. The launcher may have
// threads, so the copy may only call functions that are safe in a signal handler: it does not
// allocate, and uses memory that was prepared before the fork. It only waits for signals: from
// children that end, for the launcher's commands, and for the end of the launcher.
#include "os/orphan_reaper.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "td/base/error.h"

namespace td {
namespace {

// What the signals mean to the reaper. SIGKILL as a command would end the reaper itself.
constexpr int kKillPrograms = SIGUSR1, kEnd = SIGUSR2, kLauncherIsGone = SIGPWR;
// Rounds of 2 ms in which all descendants are killed. A process that this one may not kill, because
// it now belongs to another user, must not block the launcher forever.
constexpr int kRounds = 1000;

class Reaper {
 public:
  Reaper(const std::vector<PreparedProgram>& programs, std::vector<pid_t>& pids, int events,
         const char* folder)
      : programs_(programs), pids_(pids), events_(events), folder_(folder), launcher_(getpid()) {}

  // In the copy, with all signals blocked: they stay until sigwaitinfo takes them.
  [[noreturn]] void run() {
    setpgid(0, 0);  // only the launcher handles Ctrl-C
    prctl(PR_SET_NAME, "td-reaper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, kLauncherIsGone);
    if (getppid() != launcher_) end(true);  // it died before prctl
    struct sigaction only_ends {};
    only_ends.sa_flags = SA_NOCLDSTOP;
    sigaction(SIGCHLD, &only_ends, nullptr);
    for (std::size_t i = 0; i < programs_.size(); ++i) start(static_cast<int>(i));
    // Descriptors that the launcher closes must not stay open here.
    syscall(SYS_close_range, 3u, static_cast<unsigned>(events_) - 1, 0u);
    syscall(SYS_close_range, static_cast<unsigned>(events_) + 1, ~0u, 0u);
    sigset_t all;
    sigfillset(&all);
    for (siginfo_t info{};;)
      if (sigwaitinfo(&all, &info) > 0) handle(info);
  }

 private:
  void report(OrphanReaper::Event::Kind kind, int program, int value) const {
    const OrphanReaper::Event event{kind, program, value};
    // If the launcher has ended, a signal reports it.
    [[maybe_unused]] const ssize_t written = write(events_, &event, sizeof event);
  }

  void start(int index) {
    const pid_t parent = getpid(), pid = _Fork();
    if (pid == 0) {
      // Before exec, so that the launcher knows every program that runs.
      report(OrphanReaper::Event::kStarted, index, getpid());
      report(OrphanReaper::Event::kNotStarted, index,
             programs_[static_cast<std::size_t>(index)].exec(parent));
      _exit(127);
    }
    pids_[static_cast<std::size_t>(index)] = pid;
    if (pid < 0) report(OrphanReaper::Event::kNotStarted, index, errno);
  }

  void handle(const siginfo_t& info) {
    switch (info.si_signo) {
      case SIGCHLD:
        return reap_all(info.si_pid);
      case kKillPrograms:
        return signal_programs(SIGKILL);
      case kEnd:
      case kLauncherIsGone:
        end(info.si_signo == kLauncherIsGone);
      case SIGINT:
      case SIGTERM:
      case SIGHUP:
        if (info.si_pid == launcher_) return signal_programs(info.si_signo);
        // From another process it is meant for the whole launch: the launcher decides.
        if (getppid() == launcher_) kill(launcher_, info.si_signo);
    }
  }

  void signal_programs(int signal) const {
    for (const pid_t pid : pids_) {
      if (pid <= 0) continue;
      kill(-pid, signal);
      kill(-pid, SIGCONT);
    }
  }

  // While a SIGCHLD is pending the system drops further ones, so `first` has ended first.
  void reap_all(pid_t first) {
    reap(first);
    siginfo_t ended{};
    while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid > 0) {
      reap(ended.si_pid);
      ended.si_pid = 0;
    }
  }

  // `pid` may be a program, an adopted process, or reaped already.
  void reap(pid_t pid) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return;
    if (info.si_pid == 0) return;
    const auto program = std::find(pids_.begin(), pids_.end(), pid);
    // Processes that a program left in its group end with it. Until waitpid no other process gets
    // its number.
    if (program != pids_.end()) kill(-pid, SIGKILL);
    int status = 0;
    waitpid(pid, &status, 0);
    if (program == pids_.end()) return;
    *program = -1;
    report(OrphanReaper::Event::kEnded, static_cast<int>(program - pids_.begin()), status);
  }

  // Orphans of a killed process become children, so after enough rounds there is no descendant.
  void kill_descendants() const {
    const timespec pause{0, 2'000'000};
    for (int round = 0; round < kRounds; ++round, nanosleep(&pause, nullptr)) {
      for (const pid_t pid : pids_)
        if (pid > 0) kill(-pid, SIGKILL);
      kill_children();
      pid_t ended = 0;
      while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
      }
      if (ended < 0 && errno == ECHILD) return;
    }
  }

  static void kill_children() {
    const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);  // "12 345 "
    char text[4096];
    const ssize_t length = file >= 0 ? read(file, text, sizeof text) : 0;
    if (file >= 0) close(file);
    const char* const end = text + std::max<ssize_t>(length, 0);
    pid_t pid = 0;
    // A number at the end of the text may be cut off. A later round handles it.
    for (auto read = std::from_chars(text, end, pid); read.ec == std::errc() && read.ptr < end;
         read = std::from_chars(read.ptr + 1, end, pid))
      kill(pid, SIGKILL);
  }

  [[noreturn]] void end(bool launcher_is_gone) const {
    kill_descendants();
    if (launcher_is_gone && *folder_) execl("/bin/rm", "rm", "-rf", folder_, nullptr);
    _exit(0);
  }

  const std::vector<PreparedProgram>& programs_;
  std::vector<pid_t>& pids_;  // of the programs; -1 when one is not running
  const int events_;
  const char* const folder_;
  const pid_t launcher_;
};

}  // namespace

OrphanReaper::OrphanReaper(const std::vector<ChildProgram>& programs, const std::string& folder) {
  const std::vector<PreparedProgram> prepared(programs.begin(), programs.end());
  std::vector<pid_t> pids(programs.size(), -1);
  Pipe events("cannot start the ranks");
  fcntl(events.from.get(), F_SETFL, O_NONBLOCK);
  Reaper reaper(prepared, pids, events.into.get(), folder.c_str());
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the reaper handles no signal of the launcher's
  pid_ = fork();
  if (pid_ == 0) reaper.run();
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid_ < 0) fail<Error>("cannot start the ranks: ", std::strerror(error));
  events_ = std::move(events.from);
}

OrphanReaper::~OrphanReaper() {
  kill(pid_, kEnd);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<OrphanReaper::Event> OrphanReaper::next() {
  Event event{};
  const ssize_t got = read(events_.get(), &event, sizeof event);
  if (got == sizeof event) return event;
  if (got != 0) return std::nullopt;
  return Event{Event::kReaperKilled, 0, 0};
}

void OrphanReaper::signal_all(int signal) const {
  kill(pid_, signal == SIGKILL ? kKillPrograms : signal);
}

}  // namespace td
