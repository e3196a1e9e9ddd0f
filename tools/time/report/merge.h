// Joins reports of several machines into one. Called by the driver for --merge. Invariant: every
// machine of the result has a unique name, and each result names its machine.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model.h"

namespace report {

/// Joins reports. A machine is named after its file ("h100.json" is "h100"); files of the same name
/// are told apart by their directory, and then by a number. One report alone keeps its names.
/// @param files path and report of each.
Report merged(const std::vector<std::pair<std::string, Report>>& files);

}  // namespace report
