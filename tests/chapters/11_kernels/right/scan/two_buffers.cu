// Two buffers alternate, so that one barrier per step is enough.
#include "kernels.h"

__global__ void scan(const int* in, int* out, int* block_sums, int n) {
  __shared__ int s[2][256];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int sum = 0;
  if (i < static_cast<unsigned>(n)) sum = in[i];
  int turn = 0;
  for (unsigned d = 1; d < 256; d *= 2, turn ^= 1) {
    s[turn][t] = sum;
    __syncthreads();
    if (t >= d) sum += s[turn][t - d];
  }
  if (i < static_cast<unsigned>(n)) out[i] = sum;
  if (t == 255) block_sums[blockIdx.x] = sum;
}

__global__ void add_carry(int* out, const int* scanned_sums, int n) {
  if (blockIdx.x == 0) return;
  const int carry = scanned_sums[blockIdx.x - 1];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = out[i] + carry;
}
