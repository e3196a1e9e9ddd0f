// The settings behind sim.h with their environment variables, read once at first use. The sim
// backend's files call it. Invariant: a malformed variable leaves sim without devices, and
// settings_error says why.
#pragma once

#include <functional>
#include <string>

#include "sim/sim.h"

namespace td::sim {

/// 0 when a variable is malformed.
int devices();
/// What is wrong with the environment, with the spelling expected; empty when nothing is.
const std::string& settings_error();
/// The same for other values than this process's: `variable(name)` is a value, or null.
std::string check_settings(const std::function<const char*(const char*)>& variable);
/// Keeps the host busy for the launch cost.
void spend_launch_cost();
/// Whether the race finder is to be on from the start.
bool finds_races();
/// From now on set_devices refuses. Called when the first arena is made.
void mark_in_use();

}  // namespace td::sim
