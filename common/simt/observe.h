// Observes the kernels that a piece of work launches on sim: what they do wrong, and what a
// profiler would count. Called by checkers and by programs with --profile.
//
// Invariant: a launch is observed from its start to its end or not at all; launches that work has
// queued before observe() are finished before it begins.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "simt/observe/observers.h"
#include "simt/run.h"

namespace td::simt {

/// How observe() runs the kernels.
struct ObserveOptions {
  using Order = simt::Order;
  Order order = Order::kForward;   ///< Of blocks and threads.
  std::uint64_t seed = 0;          ///< Of a random order, and of where fragments of matrices are.
  const GpuLimits* gpu = nullptr;  ///< Whose limits hold; nullptr: H100.
};

/// Runs `work`, waits for all sim devices, and returns one report per launch, in the order in which
/// they ran. A fault of a kernel is a finding here, not an error of its stream.
/// @throws what `work` throws, AsyncError when other queued work failed, Error when called from
/// within itself.
std::vector<KernelReport> observe(const ObserveOptions& options, const std::function<void()>& work);

}  // namespace td::simt
