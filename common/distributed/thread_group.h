// Ranks that are threads of one process: the same collectives and the same errors without starting
// processes. Tests and the checks of the exercises of chapters 06 and 14 use them.
#pragma once

#include <functional>

#include "distributed/process_group.h"

namespace td::distributed {

/// The groups of `ranks` ranks, for threads that the caller starts. Each thread uses one group and
/// destroys it: the group of rank 0 ends when all others have ended.
std::vector<std::shared_ptr<ProcessGroup>> thread_groups(
    int ranks, std::chrono::milliseconds timeout = std::chrono::seconds(10));

/// Calls `work` in `ranks` threads, each with its group, which is also that thread's default group
/// (distributed.h). Returns when all are done. When a rank throws, the others stop waiting.
/// @throws what the first failing rank threw.
void run_as_threads(int ranks, const std::function<void(ProcessGroup&)>& work,
                    std::chrono::milliseconds timeout = std::chrono::seconds(10));

}  // namespace td::distributed
