// equal_step and scaled_learning_rate: exercise 6.equal_to_one, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

td::Tensor equal_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& data,
                      const td::Tensor& target, ProcessGroup& group) {
  // Your code here: Weight; loss and backward; sums over the ranks; step. About 18 lines.
  td::not_done_yet("equal_to_one");
}

double scaled_learning_rate(double lr, std::int64_t batch, std::int64_t batch_per_rank, int ranks) {
  // Your code here: How many times as large is the batch of all ranks? 1 line.
  td::not_done_yet("equal_to_one");
}
