#include "exercises.h"

#include <utility>

// answer: by_hand
// Builds the arguments by hand and keeps the next batches in a second variable.
namespace by_hand {
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  if (steps == 0) return weights;
  std::vector<std::vector<Buffer>> now(weights.size()), then(weights.size());
  for (std::size_t r = 0; r < weights.size(); ++r) now[r] = upload(0, r);
  std::size_t n = 0;
  while (true) {
    for (std::size_t r = 0; r < weights.size(); ++r)
      for (Buffer& buffer : now[r]) weights[r].push_back(std::move(buffer));
    auto run = step.start(weights);
    const bool last = n + 1 == steps;
    for (std::size_t r = 0; r < weights.size() && !last; ++r) then[r] = upload(n + 1, r);
    run.wait();
    const Buffer loss = run.outputs(0).back();
    for (std::size_t r = 0; r < weights.size(); ++r) {
      weights[r] = run.outputs(r);
      weights[r].pop_back();
    }
    on_loss(n, loss);
    if (last) return weights;
    now.swap(then);
    ++n;
  }
}
}  // namespace by_hand
