// Marks are read from /proc/<pid>/environ, which holds the environment a program was started with.
// A process group would miss what made itself a group or a session of its own.
#include "distributed/launch/leftovers.h"

#include <dirent.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>

#include "td/base/error.h"
#include "distributed/launch/start_process.h"

namespace td::distributed {
namespace {

// A process may start another while the list is made; nobody keeps that up for long.
constexpr int kRounds = 50;
// A process that is just becoming another program has no environment for a moment, so it takes
// several looks to say that nobody is left.
constexpr int kLooks = 3;

// A shell is there wherever programs are, and is a program of its own: it survives what kills us.
// It carries no mark itself. One line on its input means that all is well.
constexpr const char* kGuardian = R"(
trap '' HUP INT TERM
exec >/dev/null 2>&1
read -r line && exit
for round in 1 2 3 4 5 6 7 8 9; do
  found=$(grep -alsF "$1=$2" /proc/[0-9]*/environ)
  [ -n "$found" ] || [ $round -lt 3 ] || break
  for file in $found; do
    process=${file#/proc/}
    kill -KILL "${process%/environ}"
  done
done
rm -rf "$3"
)";

bool carries(const std::string& process, const std::string& text) {
  std::ifstream file("/proc/" + process + "/environ", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  return all.find(text) != std::string::npos;
}

}  // namespace

std::string new_mark() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  // The last letter keeps one mark from being the beginning of another.
  return std::to_string(getpid()) + "-" +
         std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count()) + "x";
}

std::vector<pid_t> processes_with(const std::string& mark) {
  const std::string text = std::string(kMarkVariable) + "=" + mark;
  std::vector<pid_t> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  if (!folder) return found;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string name = entry->d_name;
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (carries(name, text)) found.push_back(static_cast<pid_t>(std::atoi(name.c_str())));
  }
  return found;
}

void end_processes_with(const std::string& mark) {
  for (int round = 0, nobody = 0; round < kRounds && nobody < kLooks; ++round) {
    const auto found = processes_with(mark);
    nobody = found.empty() ? nobody + 1 : 0;
    for (const pid_t pid : found) kill(pid, SIGKILL);
    // The system needs a moment to end them.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Guardian::Guardian(const std::string& mark, const std::string& folder) {
  int ends[2];
  // A socket, because writing to one can be asked not to raise SIGPIPE.
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    fail<Error>("cannot start a launch: no socket: ", std::strerror(errno));
  ChildProgram shell;
  shell.words = {"sh", "-c", kGuardian, "td-guardian", kMarkVariable, mark, folder};
  // Whoever launches us must not take it for one of our ranks.
  shell.environment = {{kMarkVariable, ""}};
  shell.input = ends[0];
  shell.when_parent_dies = 0;
  alive_ = ends[1];
  pid_ = start_process(shell);
  close(ends[0]);
}

Guardian::~Guardian() {
  if (send(alive_, "well\n", 5, MSG_NOSIGNAL) < 0) kill(pid_, SIGKILL);
  close(alive_);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace td::distributed
