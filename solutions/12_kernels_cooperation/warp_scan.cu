// warp_scan: exercise 12.warp_scan, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void warp_scan(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  // blank: In step d = 1, 2, 4 ... add the value of the lane d before, if there is one. 6 lines.
  float sum = i < n ? in[i] : 0.0f;
  for (int d = 1; d < 32; d *= 2) {
    const float before = __shfl_up_sync(0xffffffff, sum, d);  //! All lanes call it.
    if (lane >= d) sum += before;
  }
  if (i < n) out[i] = sum;
  // end
}
