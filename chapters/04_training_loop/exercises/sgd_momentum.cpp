// sgd_momentum: exercise 4.sgd_momentum, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  // Your code here: Without gradient tracking, per parameter: the velocity, then the step. About 9 lines.
  td::not_done_yet("sgd_momentum");
}
