// flip: exercise 11.flip, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void flip(const float* in, float* out, int rows, int cols) {
  // blank: The thread's column and row, the test against both sizes, the copy. 3 lines.
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[r * cols + c] = in[r * cols + (cols - 1 - c)];
  // end
}
