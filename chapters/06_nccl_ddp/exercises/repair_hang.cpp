// evaluate: exercise 6.repair_hang, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

double evaluate(td::nn::Sequential& model, const td::Tensor& data, const td::Tensor& target,
                std::int64_t batch_size, ProcessGroup& group) {
  // Your code here: Delete the next line, check 6.repair_hang, and repair the four faults.
  td::not_done_yet("repair_hang");
  const td::NoGradGuard no_grad;
  model->eval();
  const std::int64_t samples = data.size(0);
  const std::int64_t batches = (samples + batch_size - 1) / batch_size;
  const std::int64_t rounds = (batches + group.size() - 1) / group.size();
  double right = 0, counted = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::int64_t batch = (round * group.size() + group.rank()) % batches;
    const std::int64_t begin = batch * batch_size, rows = std::min(batch_size, samples - begin);
    const td::Tensor classes = model->forward(data.narrow(0, begin, rows)).argmax(1);
    right += classes.eq(target.narrow(0, begin, rows)).sum().item<double>();
    counted += static_cast<double>(rows);
  }
  const td::Tensor accuracy = td::full({1}, right / counted, td::kDouble);
  if (group.rank() == 0) group.all_reduce(accuracy);
  return accuracy.item<double>() / group.size();
}
