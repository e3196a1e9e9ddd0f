#include "exercises.h"

// answer: divides_by_all
// Every rank knows the number of samples, so one sum is enough.
namespace divides_by_all {
double evaluate(td::nn::Sequential& model, const td::Tensor& data, const td::Tensor& target,
                std::int64_t batch_size, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  model->eval();
  td::Tensor right = td::zeros({1}, td::TensorOptions(td::kInt64));
  std::int64_t turn = 0;
  for (std::int64_t begin = 0; begin < data.size(0); begin += batch_size, ++turn) {
    if (turn % group.size() != group.rank()) continue;
    const std::int64_t rows = std::min(batch_size, data.size(0) - begin);
    const td::Tensor classes = model->forward(data.narrow(0, begin, rows)).argmax(1);
    right += classes.eq(target.narrow(0, begin, rows)).sum();
  }
  const auto work = group.all_reduce(right);
  work->wait();
  return static_cast<double>(right.item<std::int64_t>()) / static_cast<double>(data.size(0));
}
}  // namespace divides_by_all
