// Threads for the replicas of a model: each runs its host code in one of its own, because a forward
// pass on the cpu computes in that thread, and one on an accelerator spends its time asking for
// work. parallel_apply calls it. Invariant: every thread is done when run_replicas returns,
// whatever happened in it.
#pragma once

#include <functional>
#include <vector>

#include "td/device/device.h"

namespace td::parallel {

/// Calls work(i) for every device, beside each other, with devices[i] current; work(0) runs in the
/// calling thread. The caller's gradient mode, inference mode, current devices and streams hold in
/// all of them. Each draws random numbers from a stream of its own, so that the same seed gives the
/// same numbers, whichever thread is first. Replicas on the cpu share out the caller's cores.
/// @throws what the first replica (by number) threw that threw, its text behind "replica 1 on
///     sim:1: ". The type is kept for td's errors and the standard's; another type keeps its text,
///     too.
void run_replicas(const std::vector<Device>& devices, const std::function<void(std::size_t)>& work);

}  // namespace td::parallel
