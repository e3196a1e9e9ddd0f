// train: exercise 10.donate, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  // Your code here: Upload, start, upload the next, wait, take the new weights. About 20 lines.
  td::not_done_yet("donate");
}
