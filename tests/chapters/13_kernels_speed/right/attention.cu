#include "kernels.h"

// answer: rescales_when_it_must
// Rescales in a branch that all lanes take together, and computes powers of 2, as fast kernels do.
namespace rescales_when_it_must {
__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys,
                          int d) {
  const int lane = threadIdx.x;
  const float log2_e = 1.44269504f;
  const float query = lane < d ? q[blockIdx.x * d + lane] * rsqrtf(d) * log2_e : 0;
  float largest = 0, sum = 0, weighted = 0;
  for (int key = 0; key < keys; ++key) {
    const float element = lane < d ? k[key * d + lane] : 0,
                value = lane < d ? v[key * d + lane] : 0;
    float score = query * element;
    for (int step = 1; step < 32; step *= 2) score += __shfl_xor_sync(~0u, score, step);
    if (key == 0 || score > largest) {
      const float shrink = key == 0 ? 0 : exp2f(largest - score);
      largest = score;
      sum *= shrink;
      weighted *= shrink;
    }
    const float weight = exp2f(score - largest);
    sum += weight;
    weighted = fmaf(weight, value, weighted);
  }
  if (lane < d) out[blockIdx.x * d + lane] = weighted / sum;
}
}  // namespace rescales_when_it_must
