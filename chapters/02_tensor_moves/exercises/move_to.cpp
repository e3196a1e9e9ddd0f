// move_to: exercise 2.move_to, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

td::Tensor move_to(const td::Tensor& x, td::Device device) {
  // Your code here: Fill in the index, compare, and only then copy. About 4 lines.
  td::not_done_yet("move_to");
}
