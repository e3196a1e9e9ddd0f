// naive_matmul: exercise 13.naive_matmul, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void naive_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  // Your code here: A test of both, a sum over k, and one store. 4 lines.
  td::not_done_yet("naive_matmul");
}
