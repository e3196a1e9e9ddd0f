// Turns the race finder of sim on for one test of chapter 08.
#pragma once

#include <string>

#include "check_tensors.h"
#include "sim/sim.h"

// Looks for races during one test, from a clean start.
struct Looking {
  Looking() {
    td::synchronize("sim:0");
    td::sim::find_races(true);
    td::sim::take_races();
  }
  ~Looking() { td::sim::find_races(false); }

  static void expect_none(const std::string& where) {
    std::string text;
    for (const td::sim::Race& race : td::sim::take_races()) text += race.text + "\n";
    check::expect(text.empty(), where + ":\n" + text);
  }
};
