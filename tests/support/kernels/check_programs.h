// Functions for the tests of host code in CUDA C++, which calls CUDA's runtime and launches with
// <<<>>>. Included by tests/chapters/11_kernels_threads/*_test.cpp. Such code runs in a process of
// its own on the course's runtime, as `./course cuda --check` runs a program: with the threads and
// the streams in two orders, under the observers. So its mistakes are reported with their lines,
// and the checker outlives them.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace check {

/// Host code that runs in processes of its own. Make one per name, as a variable of the test file.
class Program {
 public:
  using Arguments = std::vector<int>;
  /// Calls the exercise. @return what is wrong with its result; empty: nothing.
  using Run = std::function<std::string(const Arguments&)>;

  /// In a process that was started for this name, runs `run` and ends the process.
  Program(std::string name, const Run& run);

  struct Conditions {
    /// The launch that must happen, as a profile names it: "add: grid (4), block (256)" or "add:".
    std::string launch = "";
    std::string shape = "";  ///< What the profile must say in addition: "block (96)".
    /// Operations that must be free to run beside an earlier one of another stream.
    int overlaps = 0;
    std::string environment = "";  ///< "TD_CUDA_DEVICES=0" and so on
  };
  /// Runs it twice, and fails with what the observers found, or with what is wrong.
  /// @param what names the run in messages: "n = 33".
  void check(const std::string& what, const Arguments& arguments,
             const Conditions& conditions) const;

 private:
  std::string name_;
};

}  // namespace check
