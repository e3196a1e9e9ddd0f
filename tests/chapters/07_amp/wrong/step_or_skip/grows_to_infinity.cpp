// expect: a scale of 1e38 that would grow 16 times: index 0: expected 1e+38, got inf
// Does not check whether the larger scale is finite.
#include "exercises.h"

bool step_or_skip(td::optim::Optimizer& optimizer, bool overflow, LossScale& scale) {
  if (overflow) {
    scale.scale *= scale.backoff_factor;
    scale.growth_tracker = 0;
    return false;
  }
  optimizer.step();
  if (++scale.growth_tracker == scale.growth_interval) {
    scale.scale *= scale.growth_factor;
    scale.growth_tracker = 0;
  }
  return true;
}
