// check_programs.h's work: starts this program again for the name of a piece of host code.
#include "check_programs.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "check.h"
#include "child_process.h"
#include "td/exercise.h"

namespace check {
namespace {

constexpr int kNotDone = 77;

/// What the observers found, as common/cuda/report.cpp writes it.
struct Found {
  long faults = 0;      ///< of kernels and of calls
  long overlaps = 0;    ///< operations that may run beside an earlier one of another stream
  std::string profile;  ///< of all launches
};

Found read_found(const std::string& check_file, const std::string& profile_file) {
  Found found;
  std::ifstream in(check_file);
  for (std::string line; std::getline(in, line);) {
    const std::string kind = line.substr(0, line.find('\t'));
    if (kind == "told") continue;
    (kind == "overlaps" ? found.overlaps : found.faults) +=
        std::stol(line.substr(line.rfind('\t') + 1));
  }
  std::stringstream profile;
  profile << std::ifstream(profile_file).rdbuf();
  found.profile = profile.str();
  std::filesystem::remove(check_file);
  std::filesystem::remove(profile_file);
  return found;
}

/// "scale: grid (4), block (256)", the first lines of the tables.
std::string launches_in(const std::string& profile) {
  std::istringstream lines(profile);
  std::string all;
  for (std::string line; std::getline(lines, line);)
    if (line.find(": grid (") != line.npos) all += "\n  " + line;
  return all.empty() ? " nothing" : all;
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
    if (!problem.empty()) std::cerr << problem << '\n';
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
  command << "' TD_CUDA_CHECK=" << file << " TD_CUDA_PROFILE=" << file << ".profile /proc/" << pid
          << "/exe";
  for (const char* order : {"", "TD_CUDA_ORDER=reversed "}) {
    const test::ChildResult outcome = test::run_command(order + command.str() + " 2>&1");
    const Found found = read_found(file, file + ".profile");
    if (outcome.exit_code == kNotDone) td::not_done_yet(name_.c_str());
    expect(outcome.exit_code == 0 && found.faults == 0,
           what + (*order ? ", threads and streams in reversed order: " : ": ") +
               (outcome.output.empty() ? "the program ended by itself" : outcome.output));
    const std::string launches = launches_in(found.profile);
    expect(found.profile.find(conditions.launch) != std::string::npos &&
               launches.find(conditions.shape) != std::string::npos,
           what + ": expected a launch of " + conditions.launch +
               (conditions.shape.empty() ? "" : " with " + conditions.shape) +
               "; launched:" + launches);
    expect(found.overlaps >= conditions.overlaps,
           what + ": expected " + std::to_string(conditions.overlaps) +
               " copies and launches that may run while another stream works, found " +
               std::to_string(found.overlaps));
  }
}

}  // namespace check
