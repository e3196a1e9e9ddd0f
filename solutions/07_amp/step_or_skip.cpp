// step_or_skip: exercise 7.step_or_skip, declared in exercises.h.
#include <cmath>

#include "exercises.h"
#include "td/exercise.h"

bool step_or_skip(td::optim::Optimizer& optimizer, bool overflow, LossScale& scale) {
  // blank: Back off, or step and perhaps grow. About 12 lines.
  if (overflow) {
    scale.scale *= scale.backoff_factor;
    scale.growth_tracker = 0;
    return false;
  }
  optimizer.step();
  if (++scale.growth_tracker == scale.growth_interval) {
    const float grown = scale.scale * scale.growth_factor;
    if (std::isfinite(grown)) scale.scale = grown;
    scale.growth_tracker = 0;
  }
  return true;
  // end
}
