// A barrier in a header, for the tests of its place in reports.
#pragma once

#include "simt/kernel.h"

__device__ inline void end_of_step() {
  __syncthreads();  // mark: end of step
}
