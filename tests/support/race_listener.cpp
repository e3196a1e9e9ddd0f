// Fails a test case that leaves a race behind: sim's race finder is on in the tests of the release
// build (TD_SIM_RACES=1), and a test with an intended race takes it. Linked to every test program.
#include "catch_reporters.h"
#include "sim/sim.h"

namespace {

struct RaceListener : check::ListenerBase {
  using check::ListenerBase::ListenerBase;
  void sectionStarting(const Catch::SectionInfo&) override { ++depth_; }
  // The outermost section is the test case, which can still fail here.
  void sectionEnded(const Catch::SectionStats&) override {
    if (--depth_ > 0) return;
    for (const td::sim::Race& race : td::sim::take_races()) FAIL_CHECK(race.text);
  }

 private:
  int depth_ = 0;
};

}  // namespace

CATCH_REGISTER_LISTENER(RaceListener)
