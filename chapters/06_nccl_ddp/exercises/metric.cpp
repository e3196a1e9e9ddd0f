// accuracy: exercise 6.metric, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

double accuracy(const td::Tensor& output, const td::Tensor& target, std::int64_t size,
                ProcessGroup& group) {
  // Your code here: How many rows are no padding? Count the right ones; sum over the ranks. About 6 lines.
  td::not_done_yet("metric");
}
