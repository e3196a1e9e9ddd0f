// The race finder of a whole process: switched on from outside, and heard at the end.
#include <cstdlib>

#include "child_process.h"
#include "finding.h"

using namespace td;
using test::on;
using test::run_child;

namespace {

void make_a_race() {
  const Tensor x = ones({5}, Device("sim:0"));
  static_cast<void>(on(getStreamFromPool("sim:0"), [&] { return x.relu(); }));
}

}  // namespace

TEST_CASE("child: a race that is taken", "[.child]") {
  make_a_race();
  CHECK(sim::take_races().size() == (sim::finding_races() ? 1 : 0));
}

TEST_CASE("child: a race that is left", "[.child]") { make_a_race(); }

TEST_CASE("child: a program ends", "[.child]") {
  make_a_race();
  std::exit(0);  // the test case has no end that could fail
}

TEST_CASE("the environment switches the finder on") {
  for (const char* races : {"TD_SIM_RACES=1", "TD_SIM_RACES=0", "env -u TD_SIM_RACES"}) {
    INFO(races);
    const auto result = run_child("child: a race that is taken", races);
    CHECK(result.exit_code == 0);
    CHECK(result.output.find("race on") == std::string::npos);
  }
}

TEST_CASE("a race that the test does not take fails the test") {
  const auto result = run_child("child: a race that is left", "TD_SIM_RACES=1");
  CHECK(result.exit_code != 0);  // 1 of Catch2 2, 42 of Catch2 3
  CHECK_THAT(result.output, Catch::Contains("race on sim:0: \"relu\" on stream 1 reads 20 bytes "));
  CHECK_THAT(result.output, Catch::Contains("1 failed"));
  CHECK(run_child("child: a race that is left", "TD_SIM_RACES=0").exit_code == 0);
}

TEST_CASE("a program prints at its end the races that it did not take") {
  const auto result = run_child("child: a program ends", "TD_SIM_RACES=1");
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.output,
             Catch::Contains("warning: race on sim:0: \"relu\" on stream 1 reads 20 bytes that "
                             "\"fill\" on the default stream writes, and nothing orders the two. "
                             "Missing: stream 1 must wait for the default stream behind \"fill\": "
                             "event.record(default_stream); event.block(stream1)."));
}
