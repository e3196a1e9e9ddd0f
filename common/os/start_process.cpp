// fork and exec, with a pipe that reports why exec failed: it closes by itself when exec succeeds.
#include "os/start_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>

#include "td/base/error.h"

namespace td {
namespace {

std::vector<char*> as_pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// This process's variables, changed by `changes`, as "NAME=value".
std::vector<std::string> merged_environment(const Variables& changes) {
  std::map<std::string, std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const auto equals = text.find('=');
    if (equals != std::string::npos) all[text.substr(0, equals)] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : changes) all[name] = value;
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const auto& [name, value] : all) texts.push_back(name + ("=" + value));
  return texts;
}

/// Our handlers would run in the child for a signal that comes before exec. Also, if this process
/// ignores broken pipes, `program | head` must still end.
void reset_handlers() {
  std::signal(SIGPIPE, SIG_DFL);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) std::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// 0 when exec succeeded, else its errno.
int reason_of_failure(int report) {
  int reason = 0;
  ssize_t got = 0;
  while ((got = read(report, &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  return got == sizeof reason ? reason : 0;
}

}  // namespace

Pipe::Pipe(const std::string& purpose, int flags) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | flags) != 0)
    fail<Error>(purpose, ": no pipe: ", std::strerror(errno));
  from = FileDescriptor(ends[0]);
  into = FileDescriptor(ends[1]);
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* set = std::getenv("PATH");
  std::istringstream folders(set ? set : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string path = folder + "/" + name;
    if (!folder.empty() && access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

PreparedProgram::PreparedProgram(const ChildProgram& program)
    : program_(program),
      path_(find_program(program.words.at(0))),
      environment_(merged_environment(program.environment)),
      argv_(as_pointers(program_.words)),
      envp_(as_pointers(environment_)) {
  if (path_.empty()) path_ = name();
}

int PreparedProgram::exec(pid_t parent) const {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, program_.when_parent_dies);
  // A parent that died before prctl would never be reported.
  if (program_.when_parent_dies != 0 && getppid() != parent) _exit(1);
  if (!program_.writes_core_file) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
  }
  dup2(program_.input >= 0 ? program_.input : open("/dev/null", O_RDONLY | O_CLOEXEC),
       STDIN_FILENO);
  if (program_.output >= 0) dup2(program_.output, STDOUT_FILENO);
  if (program_.errors >= 0) dup2(program_.errors, STDERR_FILENO);
  reset_handlers();
  execve(path_.c_str(), argv_.data(), envp_.data());
  return errno;
}

pid_t start_process(const ChildProgram& program) {
  const PreparedProgram prepared(program);
  const std::string& name = prepared.name();
  Pipe report("cannot start " + name);
  const pid_t parent = getpid();
  // From here to exec, a signal would run this program's handlers in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = fork();
  if (pid == 0) {
    const int error = prepared.exec(parent);
    if (write(report.into.get(), &error, sizeof error) < 0) _exit(126);
    _exit(127);
  }
  const int no_fork = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);

  // The parent's end must be closed, otherwise the pipe would never end.
  report.into.close();
  const int reason = pid < 0 ? no_fork : reason_of_failure(report.from.get());
  if (pid > 0 && reason != 0) waitpid(pid, nullptr, 0);
  if (reason != 0) fail<Error>("cannot start ", name, ": ", std::strerror(reason));
  return pid;
}

}  // namespace td
