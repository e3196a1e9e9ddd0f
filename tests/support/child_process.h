// Runs one hidden test case of the calling test program in its own process, for behavior that ends
// the process or reads the environment once.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

namespace test {

struct ChildResult {
  int exit_code;  ///< or 128 + the signal
  std::string output;
};

/// Runs a command of the shell to its end. @return stdout, and stderr where the command joins them.
inline ChildResult run_command(const std::string& command) {
  std::array<char, 4096> buffer{};
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return {-1, "popen failed"};
  ChildResult result{0, ""};
  for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    result.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

/// @param test_case name of the case, which carries a hidden tag such as [.child].
/// @param environment as `TD_SIM_DEVICES=4 TD_SIM_LINK=1GB/s`.
inline ChildResult run_child(const std::string& test_case, const std::string& environment = "") {
  std::array<char, 4096> buffer{};
  const ssize_t length = readlink("/proc/self/exe", buffer.data(), buffer.size() - 1);
  const std::string program(buffer.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  // Catch2 3 prints the seed, and some tests compare what two children print.
  return run_command(environment + " '" + program + "' '" + test_case + "' --rng-seed 1 2>&1");
}

}  // namespace test
