// gb_per_s and copy_seconds: exercise 8.bandwidth, declared in exercises.h.
#include <algorithm>
#include <chrono>

#include "exercises.h"
#include "td/exercise.h"

double gb_per_s(std::size_t bytes, double seconds) {
  // Your code here: Bytes per second, in units of 10^9. 1 line.
  td::not_done_yet("bandwidth");
}

double copy_seconds(const td::Tensor& to, const td::Tensor& from, int runs) {
  // Your code here: Per run: wait, start, copy, wait, stop; skip run 0; median. About 13 lines.
  td::not_done_yet("bandwidth");
}
