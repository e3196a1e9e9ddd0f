// The settings of sim.h and their environment variables, read once at first use. Called by the
// files of sim. Invariant: with a malformed variable sim has no devices, and settings_error gives
// the reason.
#pragma once

#include <functional>
#include <string>

#include "sim/sim.h"

namespace td::sim {

/// Returns the number of devices; 0 when a variable is malformed.
int devices();
/// Returns the error in the environment with the expected spelling; empty without an error.
const std::string& settings_error();
/// Returns the same for other values: `variable(name)` is a value, or null.
std::string check_settings(const std::function<const char*(const char*)>& variable);
/// Keeps the host busy for the launch cost.
void spend_launch_cost();
/// Returns whether the race finder is on at the start.
bool finds_races();
/// Makes set_devices throw from now on. Called when the first arena is made.
void mark_in_use();

}  // namespace td::sim
