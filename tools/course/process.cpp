// A started process and a poll loop. It leads its own process group, so that a time limit also ends
// the processes that it started.
#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "os/start_process.h"

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

/// A stopped program may clean up for this long: Ninja ends its compilers, which lead their own
/// groups, and removes their incomplete files.
constexpr std::chrono::milliseconds kTimeToCleanUp{1000};

/// Why no more output is collected.
enum class End { closed, limit, stop };

/// Milliseconds poll may wait: -1 without a limit.
int time_left(const Program& program, Clock::time_point start) {
  if (program.limit.count() == 0) return -1;
  const auto left = program.limit - (Clock::now() - start);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
  return ms > 0 ? static_cast<int>(ms) + 1 : 0;
}

/// Collects output until the program closes its end, the limit passes or `stop` is readable.
End collect(const Program& program, int in, Outcome& outcome) {
  const auto start = Clock::now();
  std::size_t told = 0;
  char buffer[4096];
  while (true) {
    pollfd wait[] = {{in, POLLIN, 0}, {program.stop, POLLIN, 0}};  // poll skips descriptor -1
    const int ready = poll(wait, 2, time_left(program, start));
    if (ready == 0) return End::limit;
    if (ready < 0 && errno == EINTR) continue;
    if (wait[1].revents != 0) return End::stop;
    const ssize_t got = read(in, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return End::closed;
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
  td::ChildProgram child;
  child.words = program.words;
  child.environment = program.environment;
  child.output = child.errors = ends[1];
  // Ctrl-C reaches only this process's group; this ends the child when this process ends.
  child.when_parent_dies = SIGTERM;
  child.writes_core_file = false;
  const pid_t pid = td::start_process(child);
  close(ends[1]);
  Outcome outcome;
  const End end = collect(program, ends[0], outcome);
  outcome.timed_out = end == End::limit;
  outcome.stopped = end == End::stop;
  if (outcome.stopped) {
    kill(-pid, SIGTERM);
    Program last_words;
    last_words.limit = kTimeToCleanUp;
    collect(last_words, ends[0], outcome);
  }
  // Kills the group, and so what the program left running in the background.
  if (end != End::closed) kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  kill(-pid, SIGKILL);
  close(ends[0]);
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + outcome.signal;
  return outcome;
}

bool is_readable(int descriptor) {
  pollfd wait{descriptor, POLLIN, 0};
  return poll(&wait, 1, 0) > 0;
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
