// saxpy: exercise 11.saxpy, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  // Your code here: Start at the thread's index, step by the number of threads. 2 lines.
  td::not_done_yet("saxpy");
}
