// warp_scan: exercise 12.warp_scan, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void warp_scan(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  // Your code here: In step d = 1, 2, 4 ... add the value of the lane d before, if there is one. 6 lines.
  td::not_done_yet("warp_scan");
}
