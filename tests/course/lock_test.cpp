// Two commands that build at once: the second one waits, says so, and can be ended.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/file.h>

#include "build_lock.h"
#include "tool.h"

namespace {

/// What another command that builds holds.
td::FileDescriptor locked() {
  td::FileDescriptor file(std::string(COURSE_BUILD) + "/.lock", O_RDWR | O_CREAT);
  REQUIRE(flock(file.get(), LOCK_EX) == 0);
  return file;
}

}  // namespace

TEST_CASE("a check waits for the build of another command") {
  const course::Learner learner;
  learner.solves("double_all");
  auto other = locked();
  course::Program check;
  check.words = {COURSE_TOOL,  "--root", learner.root().string(), "--build",
                 COURSE_BUILD, "check",  "91.double_all"};
  check.limit = std::chrono::seconds(300);
  check.on_line = [&](const std::string& line) {
    // Nothing else may come before it, so the check cannot have begun.
    CHECK((!other || line == "another command builds; waiting for it"));
    other.close();
  };
  const course::Outcome outcome = course::run(check);
  CHECK(outcome.exit_code == 0);
  CHECK_SAYS(outcome, "pass  91.double_all");
}

TEST_CASE("Ctrl-C ends the wait") {
  const course::Learner learner;
  const auto other = locked();
  const course::Outcome outcome =
      course::run({{"timeout", "--signal=INT", "1", COURSE_TOOL, "--root", learner.root().string(),
                    "--build", COURSE_BUILD, "check", "91.double_all"},
                   {},
                   std::chrono::seconds(60),
                   {}});
  CHECK(outcome.exit_code == 124);  // that of timeout, whose signal has ended the command
  CHECK(outcome.output == "another command builds; waiting for it\n");
}

TEST_CASE("a save ends the wait of watch") {
  const auto other = locked();
  const td::FileDescriptor stop(eventfd(1, EFD_CLOEXEC));
  int waits = 0;
  const course::BuildLock lock(COURSE_BUILD, stop.get(), [&] { ++waits; });
  CHECK(lock.stopped());
  CHECK(waits == 1);
}
