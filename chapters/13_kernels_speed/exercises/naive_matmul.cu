// naive_matmul: exercise 13.naive_matmul, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void naive_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  // Your code here: The row and the column of this thread, a test, and a loop over k. 6 lines.
  td::not_done_yet("naive_matmul");
}
