// expect: the scales: index 1: expected 8, got 4
// Grows after growth_interval + 1 steps.
#include <cmath>

#include "exercises.h"

bool step_or_skip(td::optim::Optimizer& optimizer, bool overflow, LossScale& scale) {
  if (overflow) {
    scale.scale *= scale.backoff_factor;
    scale.growth_tracker = 0;
    return false;
  }
  optimizer.step();
  if (scale.growth_tracker++ == scale.growth_interval) {
    const float grown = scale.scale * scale.growth_factor;
    if (std::isfinite(grown)) scale.scale = grown;
    scale.growth_tracker = 0;
  }
  return true;
}
