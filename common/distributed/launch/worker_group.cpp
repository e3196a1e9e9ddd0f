// One epoll for all: output, the reaper's events, signals.
#include "distributed/launch/worker_group.h"

#include <sys/epoll.h>
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

// What an event is about: the rank times two plus one of these.
enum : std::uint64_t { kOutput, kErrors, kKinds };
constexpr std::uint64_t kSignal = ~std::uint64_t{0}, kReaper = kSignal - 1;
constexpr std::chrono::milliseconds kLongestWait{1000};
// How long after the first death seen others may still turn out to be its cause.
constexpr std::chrono::milliseconds kSettling{200};

std::string cause(int status) {
  if (WIFEXITED(status)) return "ended with exit code " + std::to_string(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  const char* name = sigabbrev_np(signal);
  return "was killed by signal " + std::to_string(signal) + " (SIG" + (name ? name : "?") + ")";
}

/// An end that no program chooses. abort() is not one, because an uncaught exception ends with it.
bool is_crash(int status) { return WIFSIGNALED(status) && WTERMSIG(status) != SIGABRT; }

int world_size(const LaunchConfig& launch) { return launch.nnodes * launch.nprocs; }

/// The letter after the name in /proc/<pid>/stat; T, or t under a debugger.
bool is_stopped(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto name_end = text.rfind(") ");
  return name_end != text.npos && (text[name_end + 2] == 'T' || text[name_end + 2] == 't');
}

std::string prefix_of(const LaunchConfig& launch, int rank) {
  if (!launch.prefix) return "";
  std::ostringstream text;
  text << '[' << rank << "] ";
  return text.str();
}

}  // namespace

struct WorkerGroup::Rank {
  Rank(int number_, int local_, std::ostream& to, std::ostream& errors_to,
       const std::string& prefix)
      : number(number_), local(local_), output(to, prefix), errors(errors_to, prefix) {}

  int number, local;
  LineCopier output, errors;
  pid_t pid = -1;
  bool running = false;
  Clock::time_point started{};
};

WorkerGroup::WorkerGroup(const LaunchConfig& launch, StopSignals& signals, std::ostream& output,
                         std::ostream& errors)
    : launch_(launch),
      signals_(signals),
      output_(output),
      errors_(errors),
      events_(epoll_create1(EPOLL_CLOEXEC)) {}

WorkerGroup::~WorkerGroup() { close(events_); }

void WorkerGroup::watch(int descriptor, std::uint64_t what) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = what;
  if (epoll_ctl(events_, EPOLL_CTL_ADD, descriptor, &event) != 0)
    fail<Error>(launch_.name, ": cannot watch the ranks: ", std::strerror(errno));
}

void WorkerGroup::start(const std::function<Variables(int)>& variables, const std::string& folder) {
  std::vector<ChildProgram> programs;
  for (int local = 0; local < launch_.nprocs; ++local) {
    const int number = launch_.node_rank * launch_.nprocs + local;
    ranks_.push_back(
        std::make_unique<Rank>(number, local, output_, errors_, prefix_of(launch_, number)));
    ChildProgram program;
    program.words = launch_.words;
    program.environment = variables(local);
    program.output = ranks_.back()->output.writing_end();
    program.errors = ranks_.back()->errors.writing_end();
    programs.push_back(std::move(program));
  }
  reaper_ = std::make_unique<OrphanReaper>(programs, folder);
  watch(reaper_->descriptor(), kReaper);
  for (const auto& rank : ranks_) {
    rank->output.close_writing_end();
    rank->errors.close_writing_end();
    const auto first = static_cast<std::uint64_t>(rank->local) * kKinds;
    watch(rank->output.reading_end(), first + kOutput);
    watch(rank->errors.reading_end(), first + kErrors);
  }
  running_ = launch_.nprocs;
}

LaunchResult WorkerGroup::run(const std::function<Variables(int)>& variables,
                              const std::string& folder) {
  watch(signals_.descriptor(), kSignal);
  start(variables, folder);
  while (running_ > 0) {
    wait_for_something();
    enter_next_stage_when_due();
  }
  if (stage_ == Stage::kSettling) report_failure();
  return result_;
}

void WorkerGroup::wait_for_something() {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(due_ - Clock::now());
  const auto wait = std::clamp(left, std::chrono::milliseconds(0), kLongestWait);
  epoll_event events[64];
  const int count = epoll_wait(events_, events, 64, static_cast<int>(wait.count()));
  for (int i = 0; i < count; ++i) handle(events[i].data.u64);
}

void WorkerGroup::handle(std::uint64_t what) {
  if (what == kSignal) {
    while (const int signal = signals_.next()) note_stop(signal);
  } else if (what == kReaper) {
    while (running_ > 0) {
      const auto event = reaper_->next();
      if (!event) break;
      handle(*event);
    }
  } else {
    Rank& rank = *ranks_[what / kKinds];
    LineCopier& copier = what % kKinds == kOutput ? rank.output : rank.errors;
    if (!copier.read_some()) epoll_ctl(events_, EPOLL_CTL_DEL, copier.reading_end(), nullptr);
  }
}

void WorkerGroup::handle(const OrphanReaper::Event& event) {
  Rank& rank = *ranks_[static_cast<std::size_t>(event.program)];
  switch (event.kind) {
    case OrphanReaper::Event::kStarted:
      rank.pid = event.value;
      rank.running = true;
      rank.started = Clock::now();
      break;
    case OrphanReaper::Event::kNotStarted:
      fail<Error>("cannot start ", launch_.words[0], ": ", std::strerror(event.value));
    case OrphanReaper::Event::kEnded:
      rank.running = false;
      --running_;
      // The last output of a rank explains the message below.
      rank.output.finish();
      rank.errors.finish();
      if (event.value != 0) note_failure(rank, event.value);
  }
}

void WorkerGroup::note_failure(const Rank& rank, int status) {
  if (stage_ != Stage::kRunning && stage_ != Stage::kSettling) return;  // we have stopped it
  // The other ranks may see a failure, and end with an error, before the system reports it here. A
  // rank that was killed or crashed was the first.
  const bool first = stage_ == Stage::kRunning;
  if (!first && (crashed_ || !is_crash(status))) return;
  crashed_ = is_crash(status);
  const std::chrono::duration<double> age = Clock::now() - rank.started;
  std::ostringstream text;
  text << "rank " << rank.number << " of " << world_size(launch_) << " " << cause(status)
       << " after " << std::fixed << std::setprecision(1) << age.count() << " s";
  result_.failure = text.str();
  result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (first) enter(Stage::kSettling, kSettling);
}

void WorkerGroup::report_failure() {
  errors_ << launch_.name << ": " << result_.failure << std::endl;
  // A stopped rank cannot report it itself, and may be what the others have waited for.
  for (const auto& rank : ranks_)
    if (rank->running && is_stopped(rank->pid))
      errors_ << launch_.name << ": rank " << rank->number << " of " << world_size(launch_)
              << " stands still: it was stopped by a signal (SIGSTOP, SIGTSTP) or a debugger"
              << std::endl;
}

void WorkerGroup::note_stop(int signal) {
  const bool again = result_.stopped_by != 0;
  if (stage_ == Stage::kSettling) report_failure();
  result_.stopped_by = signal;
  result_.exit_code = 128 + signal;
  if (!again)
    errors_ << launch_.name << ": stopped by SIG" << sigabbrev_np(signal) << "; ending " << running_
            << (running_ == 1 ? " rank" : " ranks") << std::endl;
  reaper_->signal_all(again ? SIGKILL : signal);
  enter(again ? Stage::kKilled : Stage::kTerminating, launch_.patience);
}

void WorkerGroup::enter(Stage stage, std::chrono::milliseconds time_limit) {
  stage_ = stage;
  due_ = stage == Stage::kKilled ? Clock::time_point::max() : Clock::now() + time_limit;
}

void WorkerGroup::enter_next_stage_when_due() {
  if (Clock::now() < due_) return;
  if (stage_ == Stage::kSettling) {
    report_failure();
    enter(Stage::kLastWords, launch_.last_words);
  } else if (stage_ == Stage::kLastWords) {
    reaper_->signal_all(SIGTERM);
    enter(Stage::kTerminating, launch_.patience);
  } else if (stage_ == Stage::kTerminating) {
    reaper_->signal_all(SIGKILL);
    enter(Stage::kKilled, {});
  }
}

}  // namespace td::distributed
