// The race finder of sim, as programs and tests use it: it tells of a read or write that nothing
// orders behind a conflicting one, whether or not the two met this time. See race_finder.h for how.
// Invariant: what it finds depends on the program's calls and never on time.
#pragma once

#include <string>
#include <vector>

namespace td::sim {

/// Two uses of one piece of memory, at least one of them a write, that nothing orders.
struct Race {
  std::string text;    ///< both uses, and the wait that is missing
  std::string first;   ///< the operation that was asked for first
  std::string second;  ///< the one that does not wait for it
};

/// Looks for races from now on, or no longer. Also TD_SIM_RACES=1. It sees operations on tensors
/// and copies; what a program does by itself through data_ptr() it cannot see.
void find_races(bool on);
/// Whether it is looking.
bool finding_races();
/// The races found since the last call. A missing wait is told once, however often it is missing.
/// What nobody has taken when the process ends is printed to stderr, a warning each.
std::vector<Race> take_races();

}  // namespace td::sim
