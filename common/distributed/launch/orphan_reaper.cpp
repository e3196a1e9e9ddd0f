// The reaper is a copy of the launcher that never executes another program. The launcher may have
// threads, so the copy may only call functions that are safe in a signal handler: it does not
// allocate, and uses memory that was prepared before the fork.
#include "distributed/launch/orphan_reaper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "td/base/error.h"

namespace td::distributed {
namespace {

// Systems without pidfd (Linux before 5.3) have the programs' ends looked for this often, in ms.
constexpr int kTick = 50;
// Rounds of 2 ms in which all descendants are killed. A process that is not ours to kill, because
// it has become another user's, must not block the launcher forever.
constexpr int kRounds = 1000;
constexpr char kEnd = 0;  // on the control socket, where other bytes are signals

struct Child {
  pid_t pid = -1;
  int death = -1;  // a descriptor that becomes readable when the process ends
  bool running = false;
};

class Reaper {
 public:
  Reaper(const std::vector<PreparedProgram>& programs, std::vector<Child>& children, int control,
         int events, const char* folder, pid_t launcher)
      : programs_(programs),
        children_(children),
        control_(control),
        events_(events),
        folder_(folder),
        launcher_(launcher) {}

  [[noreturn]] void run() {
    setpgid(0, 0);  // Ctrl-C is the launcher's business
    prctl(PR_SET_NAME, "td-reaper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGCHLD, SIG_DFL);
    for (std::size_t i = 0; i < children_.size(); ++i) start(static_cast<int>(i));
    close_inherited();
    watch_all();
    while (true) {
      epoll_event ready[16];
      const int count = epoll_wait(epoll_, ready, 16, polls_ ? kTick : -1);
      for (int i = 0; i < count; ++i) handle(ready[i].data.u64);
      for (std::size_t i = 0; polls_ && i < children_.size(); ++i) reap(static_cast<int>(i));
    }
  }

 private:
  enum : std::uint64_t { kControl = ~std::uint64_t{0}, kSignal = kControl - 1 };

  void report(OrphanReaper::Event::Kind kind, int program, int value) const {
    const OrphanReaper::Event event{kind, program, value};
    // The launcher may be gone, which the control socket tells.
    [[maybe_unused]] const ssize_t written = write(events_, &event, sizeof event);
  }

  void start(int index) {
    Child& child = children_[static_cast<std::size_t>(index)];
    const pid_t parent = getpid();
    child.pid = _Fork();
    if (child.pid == 0) {
      // Before exec, so that the launcher knows every program that runs.
      report(OrphanReaper::Event::kStarted, index, getpid());
      report(OrphanReaper::Event::kNotStarted, index,
             programs_[static_cast<std::size_t>(index)].exec(parent));
      _exit(127);
    }
    child.running = child.pid > 0;
    if (!child.running) report(OrphanReaper::Event::kNotStarted, index, errno);
  }

  // What the launcher closes must not stay open here.
  void close_inherited() const {
    const auto low = static_cast<unsigned>(std::min(control_, events_));
    const auto high = static_cast<unsigned>(std::max(control_, events_));
    if (low > 3) syscall(SYS_close_range, 3u, low - 1, 0u);
    if (high > low + 1) syscall(SYS_close_range, low + 1, high - 1, 0u);
    syscall(SYS_close_range, high + 1, ~0u, 0u);
  }

  void watch(int descriptor, std::uint64_t what) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = what;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
  }

  // epoll reports descriptors in the order in which they became readable, so the deaths too.
  void watch_all() {
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    for (std::size_t i = 0; i < children_.size(); ++i) {
      Child& child = children_[i];
      if (child.running) child.death = static_cast<int>(syscall(SYS_pidfd_open, child.pid, 0));
      if (child.death >= 0) watch(child.death, i);
      polls_ = polls_ || (child.running && child.death < 0);
    }
    watch(control_, kControl);
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&wanted, signal);
    signals_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    watch(signals_, kSignal);
  }

  void handle(std::uint64_t what) {
    if (what == kControl) return take_command();
    if (what == kSignal) return take_signal();
    reap(static_cast<int>(what));
  }

  void take_command() {
    char command = kEnd;
    const ssize_t got = read(control_, &command, 1);
    if (got < 0) return;
    if (got == 0 || command == kEnd) end(got == 0);
    for (const Child& child : children_) {
      if (!child.running) continue;
      kill(-child.pid, command);
      kill(-child.pid, SIGCONT);
    }
  }

  // A stop signal for this process is meant for the launch: the launcher decides.
  void take_signal() const {
    signalfd_siginfo info{};
    while (read(signals_, &info, sizeof info) == sizeof info)
      if (info.ssi_signo != SIGCHLD && getppid() == launcher_)
        kill(launcher_, static_cast<int>(info.ssi_signo));
    // Adopted processes that have ended. The programs have their own descriptors, for the order.
    siginfo_t ended{};
    while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid > 0) {
      for (const Child& child : children_)
        if (child.running && child.pid == ended.si_pid) return;
      waitpid(ended.si_pid, nullptr, 0);
      ended.si_pid = 0;
    }
  }

  void reap(int index) {
    Child& child = children_[static_cast<std::size_t>(index)];
    siginfo_t info{};
    if (!child.running) return;
    if (waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
      return;
    if (info.si_pid == 0) return;
    // What it left in its group ends with it. Until waitpid no other process gets its number.
    kill(-child.pid, SIGKILL);
    int status = 0;
    waitpid(child.pid, &status, 0);
    child.running = false;
    if (child.death >= 0) close(child.death);
    report(OrphanReaper::Event::kEnded, index, status);
  }

  // Orphans of a killed process become children, so after enough rounds there is no descendant.
  void kill_descendants() const {
    const timespec pause{0, 2'000'000};
    for (int round = 0; round < kRounds; ++round, nanosleep(&pause, nullptr)) {
      for (const Child& child : children_)
        if (child.running) kill(-child.pid, SIGKILL);
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
    pid_t pid = 0;
    for (ssize_t i = 0; i < length; ++i) {
      if (text[i] >= '0' && text[i] <= '9') {
        pid = pid * 10 + (text[i] - '0');
      } else if (pid > 0) {
        kill(pid, SIGKILL);
        pid = 0;
      }
    }
  }

  [[noreturn]] void end(bool launcher_is_gone) const {
    kill_descendants();
    if (launcher_is_gone && *folder_) execl("/bin/rm", "rm", "-rf", folder_, nullptr);
    _exit(0);
  }

  const std::vector<PreparedProgram>& programs_;
  std::vector<Child>& children_;
  const int control_, events_;
  const char* const folder_;
  const pid_t launcher_;
  int epoll_ = -1, signals_ = -1;
  bool polls_ = false;
};

}  // namespace

OrphanReaper::OrphanReaper(const std::vector<ChildProgram>& programs, const std::string& folder)
    : running_(programs.size(), -1) {
  std::vector<PreparedProgram> prepared;
  for (const ChildProgram& program : programs) prepared.emplace_back(program);
  std::vector<Child> children(programs.size());
  int control[2], events[2];
  // A socket, because a write to a socket can be asked not to raise SIGPIPE.
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) != 0 ||
      pipe2(events, O_CLOEXEC) != 0)
    fail<Error>("cannot start the ranks: no pipe: ", std::strerror(errno));
  fcntl(events[0], F_SETFL, O_NONBLOCK);
  control_ = control[0];
  events_ = events[0];
  Reaper reaper(prepared, children, control[1], events[1], folder.c_str(), getpid());
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the reaper handles no signal of the launcher's
  pid_ = fork();
  if (pid_ == 0) reaper.run();
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(control[1]);
  close(events[1]);
  if (pid_ > 0) return;
  close(control_);
  close(events_);
  fail<Error>("cannot start the ranks: ", std::strerror(error));
}

OrphanReaper::~OrphanReaper() {
  signal_all(kEnd);
  close(control_);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  close(events_);
}

std::optional<OrphanReaper::Event> OrphanReaper::next() {
  Event event{};
  const ssize_t got = read(events_, &event, sizeof event);
  if (got == sizeof event) {
    pid_t& program = running_[static_cast<std::size_t>(event.program)];
    if (event.kind != Event::kNotStarted)
      program = event.kind == Event::kStarted ? event.value : -1;
    return event;
  }
  if (got != 0) return std::nullopt;
  // The system has killed the programs, but not what they have started.
  for (const pid_t program : running_)
    if (program > 0) kill(-program, SIGKILL);
  fail<Error>("the process td-reaper, which starts the ranks, was killed");
}

void OrphanReaper::signal_all(int signal) {
  const char command = static_cast<char>(signal);
  send(control_, &command, 1, MSG_NOSIGNAL);
}

}  // namespace td::distributed
