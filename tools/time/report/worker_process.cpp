// Two pipes and a poll loop around a child in its own process group, which Ctrl-C on the terminal
// does not reach.
#include "worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "os/start_process.h"

namespace report {
namespace {

using Clock = std::chrono::steady_clock;

/// How a program ended, in words.
std::string ending(int status) {
  if (WIFSIGNALED(status))
    return std::string("by the signal \"") + strsignal(WTERMSIG(status)) + '"';
  return "with exit code " + std::to_string(WEXITSTATUS(status));
}

/// Waits up to `seconds` for the process; true when it has ended.
bool ended_within(pid_t pid, double seconds, int& status) {
  const auto start = Clock::now();
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (Clock::now() - start > std::chrono::duration<double>(seconds)) return false;
    usleep(5000);
  }
  return true;
}

}  // namespace

WorkerProcess::WorkerProcess(std::string name, std::vector<std::string> command, std::string log)
    : name_(std::move(name)), log_(std::move(log)) {
  // A worker that has ended is reported by its closed output; the signal would end the driver.
  std::signal(SIGPIPE, SIG_IGN);
  const std::string purpose = "cannot start the worker of " + name_;
  td::Pipe requests(purpose), answers(purpose);
  const td::FileDescriptor errors(log_, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC);
  td::ChildProgram child;
  child.words = std::move(command);
  child.input = requests.from.get();
  child.output = answers.into.get();
  child.errors = errors.get();
  child.when_parent_dies = SIGTERM;
  child.writes_core_file = false;
  pid_ = td::start_process(child);
  into_ = std::move(requests.into);
  from_ = std::move(answers.from);
}

WorkerProcess::~WorkerProcess() { end(); }

void WorkerProcess::end() {
  if (pid_ < 0) return;
  into_.close();
  from_.close();
  int status = 0;
  // The end of its input asks it to exit. Later it gets SIGTERM, then SIGKILL.
  if (!ended_within(pid_, 0.5, status)) {
    kill(-pid_, SIGTERM);
    if (!ended_within(pid_, 2, status)) {
      kill(-pid_, SIGKILL);
      waitpid(pid_, &status, 0);
    }
  }
  kill(-pid_, SIGKILL);  // what it left running in its group
  pid_ = -1;
}

void WorkerProcess::send(const std::string& request) {
  const std::string line = request + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t wrote = write(into_.get(), line.data() + sent, line.size() - sent);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) report_end(request);
    sent += static_cast<std::size_t>(wrote);
  }
}

void WorkerProcess::report_end(const std::string& request) {
  int status = 0;
  const bool by_itself = ended_within(pid_, 2, status);
  if (by_itself) {
    kill(-pid_, SIGKILL);
    pid_ = -1;
  }
  throw WorkerEnded("the worker of " + name_ + " ended " +
                    (by_itself ? ending(status) : "its output") + " at \"" + request +
                    "\"; its messages are in " + log_);
}

std::string WorkerProcess::ask(const std::string& request, double limit_seconds) {
  if (pid_ < 0) throw WorkerEnded("the worker of " + name_ + " has ended");
  send(request);
  const auto until = Clock::now() + std::chrono::duration<double>(limit_seconds);
  while (pending_.find('\n') == std::string::npos) {
    const auto left = std::chrono::duration<double, std::milli>(until - Clock::now()).count();
    pollfd wait{from_.get(), POLLIN, 0};
    const int ready = poll(&wait, 1, left > 0 ? static_cast<int>(left) + 1 : 0);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      kill(-pid_, SIGKILL);
      end();
      throw WorkerEnded("the worker of " + name_ + " did not answer \"" + request + "\" within " +
                        std::to_string(static_cast<int>(limit_seconds)) +
                        " s and was ended; --limit allows more");
    }
    char bytes[4096];
    const ssize_t got = read(from_.get(), bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) report_end(request);
    pending_.append(bytes, static_cast<std::size_t>(got));
  }
  const auto end_of_line = pending_.find('\n');
  const std::string answer = pending_.substr(0, end_of_line);
  pending_.erase(0, end_of_line + 1);
  return answer;
}

}  // namespace report
