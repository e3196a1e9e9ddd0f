// dot: exercise 12.dot, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

// The sum of the values of 256 threads, as a tree. Thread 0 gets it.
__device__ float sum_of_block(float value) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = value;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  return s[0];
}

__global__ void dot(const float* a, const float* b, float* out, int n) {
  // blank: Add this thread's products, then those of the block, then to `out`. 5 lines.
  const int threads = gridDim.x * 256;
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += threads) sum += a[i] * b[i];
  sum = sum_of_block(sum);  //! All threads call it: it has barriers.
  if (threadIdx.x == 0) atomicAdd(out, sum);
  // end
}
