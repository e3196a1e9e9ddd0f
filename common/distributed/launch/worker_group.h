// One start of all ranks of this host, until the last one has ended. supervise() calls it once per
// attempt. Invariant: when it returns or throws, no rank is running.
#pragma once

#include "distributed/launch/supervisor.h"

namespace td::distributed {

/// Starts the ranks, copies their output, and returns when all have ended.
/// @param launch with its streams. @param variables the environment of each rank.
/// @param folder of the rendezvous, which is removed if this process is killed.
/// @param signals the reading end of a pipe, which does not block: a byte for each stop signal.
LaunchResult run_ranks(const LaunchConfig& launch, const std::vector<Variables>& variables,
                       const std::string& folder, int signals);

}  // namespace td::distributed
