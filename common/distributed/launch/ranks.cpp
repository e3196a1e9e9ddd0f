// One epoll for all: output, deaths, signals. The system reports deaths in the order in which
// processes were through with dying, which nearly always is that in which they began.
#include "distributed/launch/ranks.h"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <ostream>
#include <sstream>

#include "td/base/error.h"

namespace td::distributed {
namespace {

// What an event is about: the rank times four plus one of these.
enum : std::uint64_t { kOutput, kErrors, kEnd, kKinds = 4 };
constexpr std::uint64_t kSignal = ~std::uint64_t{0};
// Deaths are also looked for this often, for systems without pidfd (Linux before 5.3).
constexpr std::chrono::milliseconds kTick{50};
// How long after the first death seen others may still turn out to be its cause.
constexpr std::chrono::milliseconds kSettling{200};

std::string cause(int status) {
  if (WIFEXITED(status)) return "ended with exit code " + std::to_string(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  const char* name = sigabbrev_np(signal);
  return "was killed by signal " + std::to_string(signal) + " (SIG" + (name ? name : "?") + ")";
}

/// An end that no program chooses. abort() is how an uncaught exception ends, thus not among them.
bool is_crash(int status) { return WIFSIGNALED(status) && WTERMSIG(status) != SIGABRT; }

int world_size(const Launch& launch) { return launch.nnodes * launch.nprocs; }

/// The letter behind the name in /proc/<pid>/stat; T, or t under a debugger.
bool is_stopped(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto name_end = text.rfind(") ");
  return name_end != text.npos && (text[name_end + 2] == 'T' || text[name_end + 2] == 't');
}

std::string prefix_of(const Launch& launch, int rank) {
  if (!launch.prefix) return "";
  std::ostringstream text;
  text << '[' << rank << "] ";
  return text.str();
}

}  // namespace

struct Ranks::Rank {
  Rank(int number_, int local_, std::ostream& to, std::ostream& errors_to,
       const std::string& prefix)
      : number(number_), local(local_), output(to, prefix), errors(errors_to, prefix) {}

  int number, local;
  LineCopier output, errors;
  pid_t pid = -1;
  int death = -1;  // a descriptor that becomes readable when the process ends
  bool running = false;
  Clock::time_point started{};
};

Ranks::Ranks(const Launch& launch, StopSignals& signals, std::ostream& output, std::ostream& errors)
    : launch_(launch),
      signals_(signals),
      output_(output),
      errors_(errors),
      events_(epoll_create1(EPOLL_CLOEXEC)) {}

Ranks::~Ranks() {
  // Only an exception leaves ranks running here.
  signal_all(SIGKILL);
  for (const auto& rank : ranks_) {
    if (rank->running) waitpid(rank->pid, nullptr, 0);
    if (rank->death >= 0) close(rank->death);
  }
  close(events_);
}

void Ranks::watch(int descriptor, std::uint64_t what) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = what;
  if (epoll_ctl(events_, EPOLL_CTL_ADD, descriptor, &event) != 0)
    fail<Error>(launch_.name, ": cannot watch the ranks: ", std::strerror(errno));
}

void Ranks::start(Rank& rank, Variables variables) {
  ChildProgram program;
  program.words = launch_.words;
  program.environment = std::move(variables);
  program.output = rank.output.writing_end();
  program.errors = rank.errors.writing_end();
  rank.pid = start_process(program);
  rank.running = true;
  rank.started = Clock::now();
  ++running_;
  rank.output.close_writing_end();
  rank.errors.close_writing_end();
  const auto first = static_cast<std::uint64_t>(rank.local) * kKinds;
  watch(rank.output.reading_end(), first + kOutput);
  watch(rank.errors.reading_end(), first + kErrors);
  rank.death = static_cast<int>(syscall(SYS_pidfd_open, rank.pid, 0));
  if (rank.death >= 0) watch(rank.death, first + kEnd);
}

Ending Ranks::run(const std::function<Variables(int)>& variables) {
  watch(signals_.descriptor(), kSignal);
  for (int local = 0; local < launch_.nprocs; ++local) {
    const int number = launch_.node_rank * launch_.nprocs + local;
    ranks_.push_back(
        std::make_unique<Rank>(number, local, output_, errors_, prefix_of(launch_, number)));
    start(*ranks_.back(), variables(local));
  }
  while (running_ > 0) {
    wait_for_something();
    go_on_when_due();
  }
  if (stage_ == Stage::kSettling) tell_failure();
  return ending_;
}

void Ranks::wait_for_something() {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(due_ - Clock::now());
  const auto wait = std::clamp(left, std::chrono::milliseconds(0), kTick);
  epoll_event events[64];
  const int count = epoll_wait(events_, events, 64, static_cast<int>(wait.count()));
  for (int i = 0; i < count; ++i) handle(events[i].data.u64);
  for (const auto& rank : ranks_)
    if (rank->death < 0) take_if_ended(*rank);
}

void Ranks::handle(std::uint64_t what) {
  if (what == kSignal) {
    while (const int signal = signals_.next()) note_stop(signal);
    return;
  }
  Rank& rank = *ranks_[what / kKinds];
  if (what % kKinds == kEnd) return take_if_ended(rank);
  LineCopier& copier = what % kKinds == kOutput ? rank.output : rank.errors;
  if (!copier.read_some()) epoll_ctl(events_, EPOLL_CTL_DEL, copier.reading_end(), nullptr);
}

void Ranks::take_if_ended(Rank& rank) {
  siginfo_t info{};
  if (!rank.running) return;
  if (waitid(P_PID, static_cast<id_t>(rank.pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return;
  if (info.si_pid == 0) return;
  // What it left in its group ends with it. Until waitpid nobody else can have its number.
  kill(-rank.pid, SIGKILL);
  int status = 0;
  waitpid(rank.pid, &status, 0);
  rank.running = false;
  --running_;
  if (rank.death >= 0) epoll_ctl(events_, EPOLL_CTL_DEL, rank.death, nullptr);
  // What it said last explains what we say now.
  rank.output.finish();
  rank.errors.finish();
  if (status != 0) note_failure(rank, status);
}

void Ranks::note_failure(const Rank& rank, int status) {
  if (stage_ != Stage::kRunning && stage_ != Stage::kSettling) return;  // it is our own doing
  // The others see a death before the system reports it to us, and may be through earlier. They end
  // with an error then; who was killed or crashed was first.
  const bool first = stage_ == Stage::kRunning;
  if (!first && (crashed_ || !is_crash(status))) return;
  crashed_ = is_crash(status);
  const std::chrono::duration<double> age = Clock::now() - rank.started;
  std::ostringstream text;
  text << "rank " << rank.number << " of " << world_size(launch_) << " " << cause(status)
       << " after " << std::fixed << std::setprecision(1) << age.count() << " s";
  ending_.failure = text.str();
  ending_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (first) enter(Stage::kSettling, kSettling);
}

void Ranks::tell_failure() {
  errors_ << launch_.name << ": " << ending_.failure << std::endl;
  // Such a rank cannot say so itself, and is what the others have waited for in vain.
  for (const auto& rank : ranks_)
    if (rank->running && is_stopped(rank->pid))
      errors_ << launch_.name << ": rank " << rank->number << " of " << world_size(launch_)
              << " stands still: it was stopped by a signal (SIGSTOP, SIGTSTP) or a debugger"
              << std::endl;
}

void Ranks::note_stop(int signal) {
  const bool again = ending_.stopped_by != 0;
  if (stage_ == Stage::kSettling) tell_failure();
  ending_.stopped_by = signal;
  ending_.exit_code = 128 + signal;
  if (!again)
    errors_ << launch_.name << ": stopped by SIG" << sigabbrev_np(signal) << "; ending " << running_
            << (running_ == 1 ? " rank" : " ranks") << std::endl;
  signal_all(again ? SIGKILL : signal);
  enter(again ? Stage::kKilled : Stage::kAsked, launch_.patience);
}

void Ranks::enter(Stage stage, std::chrono::milliseconds time_limit) {
  stage_ = stage;
  due_ = stage == Stage::kKilled ? Clock::time_point::max() : Clock::now() + time_limit;
}

void Ranks::go_on_when_due() {
  if (Clock::now() < due_) return;
  if (stage_ == Stage::kSettling) {
    tell_failure();
    enter(Stage::kLastWords, launch_.last_words);
  } else if (stage_ == Stage::kLastWords) {
    signal_all(SIGTERM);
    enter(Stage::kAsked, launch_.patience);
  } else if (stage_ == Stage::kAsked) {
    signal_all(SIGKILL);
    enter(Stage::kKilled, {});
  }
}

void Ranks::signal_all(int signal) {
  for (const auto& rank : ranks_) {
    if (!rank->running) continue;
    kill(-rank->pid, signal);
    kill(-rank->pid, SIGCONT);  // a stopped process hears nothing else but SIGKILL
  }
}

}  // namespace td::distributed
