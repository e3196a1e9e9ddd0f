// fork, exec and a poll loop. The child leads a process group of its own, so that a time limit also
// ends what it started.
#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace course {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<char*> as_argv(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  return argv;
}

[[noreturn]] void child(const Program& program, int out) {
  setpgid(0, 0);
  // Ctrl-C reaches only our own group; this ends the child when it ends us.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int empty = open("/dev/null", O_RDONLY);
  dup2(empty, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  for (const auto& [name, value] : program.environment) setenv(name.c_str(), value.c_str(), 1);
  auto argv = as_argv(program.words);
  execvp(argv[0], argv.data());
  // Only reached when exec failed; 127 is what a shell reports for that.
  const std::string why = program.words[0] + ": " + std::strerror(errno) + "\n";
  if (write(STDERR_FILENO, why.data(), why.size()) < 0) _exit(126);
  _exit(127);
}

/// Milliseconds poll may wait: -1 without a limit.
int time_left(const Program& program, Clock::time_point start) {
  if (program.limit.count() == 0) return -1;
  const auto left = program.limit - (Clock::now() - start);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
  return ms > 0 ? static_cast<int>(ms) + 1 : 0;
}

/// Collects output until the program closes its end or the limit passes; true when it passed.
bool collect(const Program& program, int in, Outcome& outcome) {
  const auto start = Clock::now();
  std::size_t told = 0;
  char buffer[4096];
  while (true) {
    pollfd wait{in, POLLIN, 0};
    const int ready = poll(&wait, 1, time_left(program, start));
    if (ready == 0) return true;
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t got = read(in, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    outcome.output.append(buffer, static_cast<std::size_t>(got));
    if (!program.on_line) continue;
    for (auto end = outcome.output.find('\n', told); end != std::string::npos;
         end = outcome.output.find('\n', told)) {
      program.on_line(outcome.output.substr(told, end - told));
      told = end + 1;
    }
  }
}

}  // namespace

Outcome run(const Program& program) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("cannot start " + program.words[0] + ": no processes left");
  if (pid == 0) child(program, ends[1]);
  setpgid(pid, pid);  // both sides set it: whoever comes first closes the race
  close(ends[1]);
  Outcome outcome;
  outcome.timed_out = collect(program, ends[0], outcome);
  // The group: what a program left running in the background goes with it.
  if (outcome.timed_out) kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  kill(-pid, SIGKILL);
  close(ends[0]);
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + outcome.signal;
  return outcome;
}

void become(const std::vector<std::string>& words) {
  auto argv = as_argv(words);
  execvp(argv[0], argv.data());
  throw std::runtime_error("cannot start " + words[0] + ": " + std::strerror(errno));
}

std::string library_path(const std::string& directory) {
  const char* before = std::getenv("LD_LIBRARY_PATH");
  return before && *before ? directory + ":" + before : directory;
}

std::string signal_name(int signal) {
  const char* text = strsignal(signal);
  std::string name = text ? text : "signal " + std::to_string(signal);
  name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  return name;
}

}  // namespace course
