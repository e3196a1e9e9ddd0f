// The active observation, which connects observe() with the launches of launch/launch.cpp.
#pragma once

#include <string>

#include "simt/run.h"

namespace td::simt {

/// Runs a launch of sim on the calling stream's thread: observed while observe() is on, else plain.
/// @throws Error with the first fault of a plain launch.
void run_or_observe(Launch& launch);
/// @throws Error when a GPU would reject the launch with this grid and block and these bytes of
/// dynamic shared memory. While observe() is on, it returns, and the error becomes a finding.
/// @param address of the kernel's code.
void check_config(const std::string& kernel, const void* address, dim3 grid, dim3 block,
                  std::size_t shared);

}  // namespace td::simt
