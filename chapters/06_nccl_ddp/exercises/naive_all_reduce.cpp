// average_gradients: exercise 6.naive_all_reduce, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  // Your code here: For each parameter: its gradient or zeros, the average, back. 5 lines.
  td::not_done_yet("naive_all_reduce");
}
