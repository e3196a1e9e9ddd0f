// attention: exercise 13.attention, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys,
                          int d) {
  const int lane = threadIdx.x;
  const bool has = lane < d;  // lanes without an element of the row add 0
  const float query = has ? q[blockIdx.x * d + lane] / sqrtf(d) : 0.0f;
  float largest = -INFINITY, sum = 0, weighted = 0;
  for (int key = 0; key < keys; ++key) {
    float score = has ? query * k[key * d + lane] : 0.0f;
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffff, score, step);
    // Your code here: The new maximum; make both sums relative to it, and add this key. 6 lines.
    td::not_done_yet("attention");
  }
  if (has) out[blockIdx.x * d + lane] = weighted / sum;
}
