#include "kernels.h"

// answer: two_loops
// Zeros and copies are loops of their own.
namespace two_loops {
__global__ void gather_rows(const float* table, const int* indices, float* out, int dim) {
  const int b = blockIdx.x, t = threadIdx.x, step = blockDim.x;
  if (indices[b] < 0) {
    for (int j = t; j < dim; j += step) out[b * dim + j] = 0;
    return;
  }
  const float* const from = table + static_cast<long long>(indices[b]) * dim;
  for (int begin = 0; begin < dim; begin += step)
    if (begin + t < dim) out[b * dim + begin + t] = from[begin + t];
}
}  // namespace two_loops
