// accuracy: exercise 6.metric, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

double accuracy(const td::Tensor& output, const td::Tensor& target, std::int64_t size,
                ProcessGroup& group) {
  // blank: How many rows are no padding? Count the right ones; sum over the ranks. About 6 lines.
  const td::NoGradGuard no_grad;
  const std::int64_t ranks = group.size();
  const std::int64_t rows = (size - group.rank() + ranks - 1) / ranks;  // i * ranks + rank < size
  const td::Tensor classes = output.narrow(0, 0, rows).argmax(1);
  const td::Tensor right = classes.eq(target.narrow(0, 0, rows)).sum();
  group.all_reduce(right)->wait();
  return right.item<double>() / static_cast<double>(size);
  // end
}
