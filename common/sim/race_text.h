// What is said of a race: who did what, whose memory it was, and the wait that is missing.
// race_finder.cpp calls it. Invariant: takes no lock of the finder's.
#pragma once

#include "sim/access_map.h"
#include "sim/queue.h"

namespace td::sim {

/// The sim device whose memory this is; -1: memory of the host.
int device_of(std::uintptr_t address);
/// `first` was asked for by `first_queue`; `second`, which does not wait for it, by `second_queue`,
/// or by the host (null).
std::string race_text(const Access& first, const Queue& first_queue, const Access& second,
                      const Queue* second_queue);

}  // namespace td::sim
