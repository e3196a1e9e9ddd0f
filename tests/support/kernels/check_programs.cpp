// check_programs.h's work: starts this program again for the name of a piece of host code.
#include "check_programs.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "check.h"
#include "td/exercise.h"

namespace check {
namespace {

constexpr int kNotDone = 77;

struct Outcome {
  int status = 0;
  std::string output;
};

Outcome run_command(const std::string& command) {
  Outcome outcome;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) throw std::runtime_error("a process for the host code cannot be started");
  char part[4096];
  while (const std::size_t bytes = std::fread(part, 1, sizeof part, pipe))
    outcome.output.append(part, bytes);
  outcome.status = pclose(pipe);
  return outcome;
}

/// What the observers found, as common/cuda/report.cpp writes it.
struct Found {
  long faults = 0;                ///< of kernels and of calls
  std::set<std::string> kernels;  ///< that were launched
};

Found read_found(const std::string& file) {
  Found found;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind, kernel;
    words >> kind;
    if (kind == "kernel" && words >> kernel) found.kernels.insert(kernel);
    if (kind == "kernel" || kind == "host")
      found.faults += std::stol(line.substr(line.rfind('\t') + 1));
  }
  return found;
}

}  // namespace

Program::Program(std::string name, const Run& run) : name_(std::move(name)) {
  const char* const wanted = std::getenv("TD_CHECK_PROGRAM");
  if (!wanted || wanted != name_) return;
  std::istringstream words(std::getenv("TD_CHECK_ARGUMENTS"));
  Arguments arguments;
  for (int word; words >> word;) arguments.push_back(word);
  try {
    const std::string problem = run(arguments);
    std::cerr << problem;
    std::exit(problem.empty() ? 0 : 1);  // The runtime reports leaks when the process ends.
  } catch (const td::NotDoneYet&) {
    std::exit(kNotDone);
  } catch (const std::exception& error) {
    std::cerr << "an exception was thrown: " << error.what();
    std::exit(1);
  }
}

void Program::check(const std::string& what, const Arguments& arguments,
                    const Conditions& conditions) const {
  const std::string pid = std::to_string(getpid());
  const std::string file = std::filesystem::temp_directory_path() / ("check_program_" + pid);
  std::ostringstream command;
  command << conditions.environment << " TD_CHECK_PROGRAM=" << name_ << " TD_CHECK_ARGUMENTS='";
  for (const int argument : arguments) command << argument << ' ';
  command << "' TD_CUDA_CHECK=" << file << " /proc/" << pid << "/exe";
  for (const char* order : {"", "TD_CUDA_ORDER=reversed "}) {
    const Outcome outcome = run_command(order + command.str());
    const Found found = read_found(file);
    std::filesystem::remove(file);
    if (WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == kNotDone)
      td::not_done_yet(name_.c_str());
    expect(outcome.status == 0 && found.faults == 0,
           what + (*order ? ", threads and streams in reversed order: " : ": ") +
               (outcome.output.empty() ? "the program ended by itself" : outcome.output));
    expect(conditions.kernel.empty() || found.kernels.count(conditions.kernel) > 0,
           what + ": the kernel " + conditions.kernel + " was not launched");
  }
}

}  // namespace check
