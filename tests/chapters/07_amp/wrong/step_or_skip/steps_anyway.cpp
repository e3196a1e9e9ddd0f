// expect: steps that the optimizer made in .!.!!..: index 0: expected 4, got 7
// Reduces the scale, but makes the step anyway.
#include <cmath>

#include "exercises.h"

bool step_or_skip(td::optim::Optimizer& optimizer, bool overflow, LossScale& scale) {
  optimizer.step();
  if (overflow) {
    scale.scale *= scale.backoff_factor;
    scale.growth_tracker = 0;
    return false;
  }
  if (++scale.growth_tracker == scale.growth_interval) {
    const float grown = scale.scale * scale.growth_factor;
    if (std::isfinite(grown)) scale.scale = grown;
    scale.growth_tracker = 0;
  }
  return true;
}
