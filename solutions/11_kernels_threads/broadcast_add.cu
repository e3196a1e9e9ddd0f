// broadcast_add: exercise 11.broadcast_add, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void broadcast_add(const float* column, const float* row, float* out, int rows,
                              int cols) {
  // blank: The thread's column and row, the test against both sizes, the sum. 3 lines.
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[r * cols + c] = column[r] + row[c];
  // end
}
