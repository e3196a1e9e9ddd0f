// main of every checker: check_ch05 "[scatter]" [--prove|--stop]. course-tool runs it,
// once per variant. --prove tries the devices afterwards; --stop ends after the first test that
// does not pass. Invariant: the exit code is the verdict (verdict.h), never Catch2's count.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>

#include "catch.h"
#include "check.h"

namespace check {

Verdict& verdict() {
  static Verdict instance;
  return instance;
}

Probe& probe() {
  static Probe instance;
  return instance;
}

void mark(const std::string& test_case) {
  // Not in the programs that a test starts: their output is compared and shown.
  static const bool wanted = std::getenv("TD_CHECK_MARKS") && unsetenv("TD_CHECK_MARKS") == 0;
  // judge.cpp removes it. Flushed, because a crash or a call of _exit may follow.
  if (wanted) std::cout << "\x01test:" << test_case << std::endl;
}

namespace {

/// After a stub has thrown, the devices must work on.
bool devices_work() {
  try {
    const std::string names = probe().try_devices ? probe().try_devices() : "none in use";
    std::cout << "  devices work afterwards: " << names << '\n';
    return true;
  } catch (const std::exception& error) {
    std::cout << "  a device no longer works: " << error.what() << '\n';
    return false;
  }
}

int conclude(const std::string& tag, bool proving) {
  const Verdict& v = verdict();
  if (proving && !devices_work()) return kFail;
  if (td::detail::stubs_reached > 0) {
    std::cout << "  not done yet: " << tag.substr(1, tag.size() - 2) << '\n';
    return kNotDoneYet;
  }
  if (v.failed_cases) return kFail;
  for (const auto& why : v.skips) std::cout << "  skipped: " << why << '\n';
  if (v.passed_cases) return kPass;
  if (!v.skips.empty()) return kSkipped;
  std::cout << "  no test carries the tag " << tag << '\n';
  return kFail;
}

}  // namespace
}  // namespace check

CATCH_TRANSLATE_EXCEPTION(const check::Skip& skip) { return skip.why; }

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  const std::string tag = argc > 1 ? argv[1] : "";
  const std::string option = argc > 2 ? argv[2] : "";
  const bool proving = option == "--prove";
  check::verdict().stopping = option == "--stop";
  if (tag.size() < 3 || tag.front() != '[' || tag.back() != ']' || argc > 3 ||
      !(option.empty() || proving || check::verdict().stopping)) {
    std::cerr << "usage: " << argv[0] << " \"[exercise]\" [--prove|--stop]\n";
    return check::kUsage;
  }
  check::run_tests(tag);
  const int exit_code = check::conclude(tag, proving);
  check::mark("");
  return exit_code;
}
