// parallel_apply: exercise 5.parallel_apply, declared in exercises.h.
#include <exception>
#include <sstream>
#include <thread>

#include "exercises.h"
#include "td/exercise.h"

std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  // Your code here: Threads with the caller's mode and streams; join all; errors. About 25 lines.
  td::not_done_yet("parallel_apply");
}
