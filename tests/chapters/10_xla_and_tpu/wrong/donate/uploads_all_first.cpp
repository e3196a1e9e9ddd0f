// expect: was called before step 0 was started
// All batches are copied before the first step.
#include "exercises.h"

std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  const std::size_t replicas = weights.size();
  const auto upload_all = [&](std::size_t n) {
    std::vector<std::vector<Buffer>> batches;
    for (std::size_t r = 0; r < replicas; ++r) batches.push_back(upload(n, r));
    return batches;
  };
  std::vector<std::vector<std::vector<Buffer>>> all;
  for (std::size_t n = 0; n < steps; ++n) all.push_back(upload_all(n));
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<std::vector<Buffer>> arguments = weights;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments[r].insert(arguments[r].end(), all[n][r].begin(), all[n][r].end());
    td::xla::Run run = step.start(arguments);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r)
      weights[r].assign(run.outputs(r).begin(), run.outputs(r).end() - 1);
    on_loss(n, run.outputs(0).back());
  }
  return weights;
}
