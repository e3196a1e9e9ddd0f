// Looks for the module without importing it, because importing PyTorch takes seconds.
#include "python.h"

#include <sys/wait.h>

#include <cerrno>
#include <stdexcept>

#include "os/start_process.h"

namespace report {
namespace {

bool has_torch(const std::string& python) {
  if (td::find_program(python).empty()) return false;
  td::ChildProgram child;
  child.words = {python, "-c",
                 "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"};
  const pid_t pid = td::start_process(child);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0;
}

}  // namespace

std::vector<std::string> pytorch_worker(const std::string& python) {
  std::vector<std::string> candidates = {"python3", "/usr/bin/python3"};
  if (!python.empty()) candidates = {python};
  std::string tried;
  for (const std::string& candidate : candidates) {
    if (has_torch(candidate)) return {candidate, "-B", COURSE_ROOT "/tools/time/pytorch.py"};
    tried += (tried.empty() ? "" : " and ") + candidate;
  }
  throw std::runtime_error(
      "--against pytorch: PyTorch was not found by " + tried +
      ".\nInstall it (Debian: apt install python3-torch), or name a Python that "
      "has it: --python PATH");
}

}  // namespace report
