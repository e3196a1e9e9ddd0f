// broadcast_add: exercise 11.broadcast_add, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void broadcast_add(const float* column, const float* row, float* out, int rows,
                              int cols) {
  // Your code here: The thread's column and row, the test against both sizes, the sum. 3 lines.
  td::not_done_yet("broadcast_add");
}
