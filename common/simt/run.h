// Runs a launch on sim: all blocks of a grid, in the order that the options choose, on the cores of
// the calling stream or under an observer. Called by launch/launch.cpp and cuda/work.cpp, and by
// tests with their own kernels.
//
// Invariant: a fault of a kernel ends the thread that has it, or the launch, never the process.
#pragma once

#include <cstdint>
#include <vector>

#include "simt/observer.h"

namespace td::simt {

/// A launch that is ready to run.
struct Launch {
  LaunchInfo info;  ///< What observers receive.
  std::vector<std::size_t>
      positions;                 ///< Of each of info.arguments: which parameter it is, from 0.
  const void* kernel = nullptr;  ///< The kernel function, for its debug information.
  void (*call)(const void* arguments) = nullptr;  ///< Calls the kernel once, for one thread.
  const void* arguments = nullptr;                ///< The argument of `call`.
};

/// The order in which blocks, and the threads of a block, begin and continue.
enum class Order : std::uint8_t { kForward, kReversed, kRandom };

/// How a launch is run.
struct RunOptions {
  Order order = Order::kForward;  ///< Of blocks and threads.
  std::uint64_t seed = 0;  ///< Of a random order, and of where fragments of matrices are kept.
  /// For an observed launch: runs this many blocks at the beginning and at the end of the grid, and
  /// leaves out the others; 0: runs all.
  std::uint32_t edge_blocks = 0;
  double seconds =
      -1;  ///< Until the time of a block is over; negative: TimeLimit::usual_seconds().
  /// What a shuffle returns for a lane that takes no part: a NaN as a double and as a float.
  std::uint64_t undefined = 0x7ff8dead7fc0dead;
};

/// Runs the launch and returns what the machine itself found; notes too when it is observed.
/// Without an observer blocks run on parallel_width() OS threads, and a fault ends the launch. With
/// one they run on the calling OS thread alone, and it receives the findings as well.
std::vector<Finding> run(Launch& launch, Observer* observer, const RunOptions& options);

}  // namespace td::simt
