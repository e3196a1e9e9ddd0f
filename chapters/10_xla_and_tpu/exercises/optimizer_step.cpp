// optimizer_step: exercise 10.optimizer_step, declared in exercises.h.
#include "exercises.h"
#include "programs.h"
#include "td/exercise.h"

std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, int replicas,
                           const SumOverReplicas& sum) {
  // Your code here: For each parameter: the sum, lr / replicas, multiply, subtract. About 14 lines.
  td::not_done_yet("optimizer_step");
}
