// One poll for everything: the ranks' output, the ends of ranks, and signals.
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <memory>
#include <ostream>
#include <sstream>
#include <string_view>

#include "distributed/launch/supervisor.h"
#include "os/orphan_reaper.h"
#include "td/base/error.h"

namespace td::distributed {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLongestWait{1000};
// How long after the first failure another rank's failure may still be found to be its cause.
constexpr std::chrono::milliseconds kSettling{200};
// More than a pipe holds, so that one call empties the pipe of a rank that has ended.
constexpr int kReads = 16;

// A pipe from a rank. What the rank prints is copied a whole line at a time, with the rank's number
// in front. Lines of two ranks never mix, because one thread writes them all.
class LineCopier {
 public:
  LineCopier(std::ostream& to, std::string prefix) : to_(to), prefix_(std::move(prefix)) {
    fcntl(pipe.from.get(), F_SETFL, O_NONBLOCK);
  }

  // Copies the lines that are there. It returns even if a rank never stops printing.
  void read_some() {
    char buffer[1 << 14];
    for (int i = 0; i < kReads; ++i) {
      const ssize_t got = read(pipe.from.get(), buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) pipe.from.close();  // the last writer is gone
      if (got <= 0) return;
      pending_.append(buffer, static_cast<std::size_t>(got));
      write_lines();
    }
  }

  // The rank has ended: copies what is left, also a last line that has no end.
  void finish() {
    read_some();
    if (pending_.empty()) return;
    to_ << prefix_ << pending_ << std::endl;
    pending_.clear();
  }

  Pipe pipe{"cannot start a rank"};

 private:
  void write_lines() {
    std::size_t told = 0, end = 0;
    while ((end = pending_.find('\n', told)) != std::string::npos) {
      to_ << prefix_ << std::string_view(pending_).substr(told, end + 1 - told);
      told = end + 1;
    }
    if (told > 0) to_.flush();
    pending_.erase(0, told);
  }

  std::ostream& to_;
  const std::string prefix_;
  std::string pending_;
};

std::string cause(int status) {
  if (WIFEXITED(status)) return "ended with exit code " + std::to_string(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  const char* name = sigabbrev_np(signal);
  return "was killed by signal " + std::to_string(signal) + " (SIG" + (name ? name : "?") + ")";
}

/// An end by a signal, except that of abort(), because an uncaught exception ends with abort().
bool is_crash(int status) { return WIFSIGNALED(status) && WTERMSIG(status) != SIGABRT; }

/// The letter after the name in /proc/<pid>/stat; T, or t under a debugger.
bool is_stopped(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto name_end = text.rfind(") ");
  return name_end != text.npos && (text[name_end + 2] == 'T' || text[name_end + 2] == 't');
}

struct Rank {
  Rank(const LaunchConfig& launch, int number, const std::string& prefix)
      : name("rank " + std::to_string(number) + " of " +
             std::to_string(launch.nnodes * launch.nprocs)),
        output(*launch.output, prefix),
        errors(*launch.errors, prefix) {}

  const std::string name;  // "rank 1 of 2"
  LineCopier output, errors;
  pid_t pid = -1;  // -1 when it is not running
  Clock::time_point started{};
};

/// The ranks of this host.
class WorkerGroup {
 public:
  WorkerGroup(const LaunchConfig& launch, const std::vector<Variables>& variables,
              const std::string& folder, int signals)
      : launch_(launch), signals_(signals), running_(launch.nprocs) {
    std::vector<ChildProgram> programs;
    for (const Variables& environment : variables) {
      const int number = launch.node_rank * launch.nprocs + static_cast<int>(programs.size());
      const std::string digits = std::to_string(number);
      const std::string prefix = launch.prefix ? "[" + digits + "] " : "";
      const Rank& rank = ranks_.emplace_back(launch, number, prefix);
      ChildProgram& program = programs.emplace_back();
      program.words = launch.words;
      program.environment = environment;
      program.output = rank.output.pipe.into.get();
      program.errors = rank.errors.pipe.into.get();
    }
    reaper_ = std::make_unique<OrphanReaper>(programs, folder);
    for (Rank& rank : ranks_)  // the rank has its own copies now
      for (LineCopier* copier : {&rank.output, &rank.errors}) copier->pipe.into.close();
  }

  LaunchResult run() {
    while (running_ > 0) {
      wait_for_something();
      enter_next_stage_when_due();
    }
    if (stage_ == Stage::kSettling) report_failure();
    return result_;
  }

 private:
  enum class Stage { kRunning, kSettling, kLastWords, kTerminating, kKilled };

  void wait_for_something() {
    std::vector<LineCopier*> copiers;
    std::vector<pollfd> waiting = {{signals_, POLLIN, 0}, {reaper_->descriptor(), POLLIN, 0}};
    for (Rank& rank : ranks_)
      for (LineCopier* copier : {&rank.output, &rank.errors}) {
        copiers.push_back(copier);
        waiting.push_back({copier->pipe.from.get(), POLLIN, 0});  // poll ignores negative ones
      }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due_ - Clock::now());
    const auto wait = std::clamp(left, std::chrono::milliseconds(0), kLongestWait);
    if (poll(waiting.data(), waiting.size(), static_cast<int>(wait.count())) <= 0) return;
    for (std::size_t i = 0; i < copiers.size(); ++i)
      if (waiting[i + 2].revents) copiers[i]->read_some();
    for (unsigned char signal = 0; read(signals_, &signal, 1) == 1;) note_stop(signal);
    while (running_ > 0) {
      const auto event = reaper_->next();
      if (!event) break;
      handle(*event);
    }
  }

  void handle(const OrphanReaper::Event& event) {
    Rank& rank = ranks_[static_cast<std::size_t>(event.program)];
    switch (event.kind) {
      case OrphanReaper::Event::kStarted:
        rank.pid = event.value;
        rank.started = Clock::now();
        break;
      case OrphanReaper::Event::kNotStarted:
        fail<Error>("cannot start ", launch_.words[0], ": ", std::strerror(event.value));
      case OrphanReaper::Event::kEnded:
        rank.pid = -1;
        --running_;
        // The last output of a rank explains the message below.
        rank.output.finish();
        rank.errors.finish();
        if (event.value != 0) note_failure(rank, event.value);
        break;
      case OrphanReaper::Event::kReaperKilled:
        // The system has killed the programs, but not what they have started.
        for (const Rank& each : ranks_)
          if (each.pid > 0) kill(-each.pid, SIGKILL);
        fail<Error>("the process td-reaper, which starts the ranks, was killed");
    }
  }

  void note_failure(const Rank& rank, int status) {
    if (stage_ != Stage::kRunning && stage_ != Stage::kSettling) return;  // we have stopped it
    // The other ranks may see a failure, and end with an error, before the system reports it here.
    // A rank that was killed or crashed was the first.
    const bool first = stage_ == Stage::kRunning;
    if (!first && (crashed_ || !is_crash(status))) return;
    crashed_ = is_crash(status);
    const std::chrono::duration<double> age = Clock::now() - rank.started;
    std::ostringstream text;
    text << rank.name << " " << cause(status) << " after " << std::fixed << std::setprecision(1)
         << age.count() << " s";
    result_.failure = text.str();
    result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (first) enter(Stage::kSettling, kSettling);
  }

  void report_failure() {
    *launch_.errors << launch_.name << ": " << result_.failure << std::endl;
    // A stopped rank cannot report it itself, and may be what the others have waited for.
    for (const Rank& rank : ranks_)
      if (rank.pid > 0 && is_stopped(rank.pid))
        *launch_.errors << launch_.name << ": " << rank.name
                        << " stands still: it was stopped by a signal (SIGSTOP, SIGTSTP) or a "
                           "debugger"
                        << std::endl;
  }

  void note_stop(int signal) {
    const bool again = result_.stopped_by != 0;
    if (stage_ == Stage::kSettling) report_failure();
    result_.stopped_by = signal;
    result_.exit_code = 128 + signal;
    if (!again)
      *launch_.errors << launch_.name << ": stopped by SIG" << sigabbrev_np(signal) << "; ending "
                      << running_ << (running_ == 1 ? " rank" : " ranks") << std::endl;
    reaper_->signal_all(again ? SIGKILL : signal);
    enter(again ? Stage::kKilled : Stage::kTerminating, launch_.patience);
  }

  void enter(Stage stage, std::chrono::milliseconds time_limit) {
    stage_ = stage;
    due_ = stage == Stage::kKilled ? Clock::time_point::max() : Clock::now() + time_limit;
  }

  void enter_next_stage_when_due() {
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

  const LaunchConfig& launch_;
  const int signals_;
  int running_;
  std::vector<Rank> ranks_;
  std::unique_ptr<OrphanReaper> reaper_;
  bool crashed_ = false;  // the failure so far is a crash, not an error that a program reported
  Stage stage_ = Stage::kRunning;
  Clock::time_point due_ = Clock::time_point::max();  // when the next stage begins
  LaunchResult result_;
};

}  // namespace

LaunchResult run_ranks(const LaunchConfig& launch, const std::vector<Variables>& variables,
                       const std::string& folder, int signals) {
  return WorkerGroup(launch, variables, folder, signals).run();
}

}  // namespace td::distributed
