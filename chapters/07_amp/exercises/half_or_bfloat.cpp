// half_or_bfloat: exercise 7.half_or_bfloat, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

td::ScalarType half_or_bfloat(const td::Tensor& values) {
  // Your code here: Round to float16, and ask once whether a value was lost. About 5 lines.
  td::not_done_yet("half_or_bfloat");
}
