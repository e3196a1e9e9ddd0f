// expect: upload(1) was called, but there are only 1 steps
// Uploads a batch after the last step.
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
  std::vector<std::vector<Buffer>> batches;
  if (steps > 0) batches = upload_all(0);
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<std::vector<Buffer>> arguments = weights;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments[r].insert(arguments[r].end(), batches[r].begin(), batches[r].end());
    td::xla::Run run = step.start(arguments);
    batches = upload_all(n + 1);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r)
      weights[r].assign(run.outputs(r).begin(), run.outputs(r).end() - 1);
    on_loss(n, run.outputs(0).back());
  }
  return weights;
}
