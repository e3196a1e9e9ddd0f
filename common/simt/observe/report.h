// Outputs of the reports of observed kernels: a table for the terminal, pictures of a warp's
// accesses, and JSON. Called by checkers, by `--profile` and by tools.
//
// Invariant: depends on the reports only, so that the same kernel yields the same text.
#pragma once

#include <string>
#include <vector>

#include "simt/observe/observers.h"

namespace td::simt {

/// Returns the counts of a launch as a table of at most 80 columns, in the terms of Nsight Compute:
/// each place with its counts, the ideal next to them and a rating, the worst first.
///
///     transpose: grid (2,2), block (32,32), 4,096 threads in 128 warps
///     global               requests  sectors    ideal  per request
///       store  out:9            128    4,096      512    32.0  88 % excess, 1 per lane
///       load   in:7             128      512      512     4.0  coalesced
///     ...
std::string table(const Profile& profile);

/// Returns the findings' texts, faults before notes; empty where there are none.
std::string text(const std::vector<Finding>& findings);

/// Returns a picture of the place's worst request as SVG. Global memory: the lanes, and the lines
/// of 128 bytes that they touch, cut into sectors, with needed and unneeded bytes. Shared memory:
/// the banks; words that wait for each other are stacked.
std::string svg(const SiteProfile& place);

/// Returns everything as JSON: an object per launch with "findings" and "profile".
std::string json(const std::vector<KernelReport>& reports);

}  // namespace td::simt
