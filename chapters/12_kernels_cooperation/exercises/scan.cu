// scan: exercise 12.scan, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void scan(const int* in, int* out, int* block_sums, int n) {
  // Your code here: In step d = 1, 2, 4 ... each element adds the one d before it. 13 lines.
  td::not_done_yet("scan");
}

__global__ void add_carry(int* out, const int* scanned_sums, int n) {
  // Your code here: The inclusive sum of the block before this one is the carry. 2 lines.
  td::not_done_yet("scan");
}
