// fit: exercise 4.fit, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

std::vector<EpochResult> fit(td::nn::Sequential& model, td::nn::CrossEntropyLoss& loss_fn,
                             const std::vector<Batch>& training, const std::vector<Batch>& test,
                             td::Device device, const FitOptions& options) {
  // Your code here: Move; optimizer; per epoch: steps, evaluation, then the two sums. About 30 lines.
  td::not_done_yet("fit");
}
