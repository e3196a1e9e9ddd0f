// train_amp: exercise 7.train_amp, declared in exercises.h.
#include <algorithm>

#include "exercises.h"
#include "td/exercise.h"

AmpResult train_amp(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                    td::amp::GradScaler& scaler, const std::vector<td::data::Example<>>& batches,
                    const AmpSettings& settings) {
  // Your code here: Group by group: its batches, clip, step, update. About 35 lines.
  td::not_done_yet("train_amp");
}
