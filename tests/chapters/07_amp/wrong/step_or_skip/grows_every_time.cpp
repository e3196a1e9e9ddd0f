// expect: the scales of seven good steps: index 3: expected 2, got 4
// Once the interval is reached, every step makes the scale grow.
#include <cmath>

#include "exercises.h"

bool step_or_skip(td::optim::Optimizer& optimizer, bool overflow, LossScale& scale) {
  if (overflow) {
    scale.scale *= scale.backoff_factor;
    scale.growth_tracker = 0;
    return false;
  }
  optimizer.step();
  if (++scale.growth_tracker >= scale.growth_interval) {
    const float grown = scale.scale * scale.growth_factor;
    if (std::isfinite(grown)) scale.scale = grown;
  }
  return true;
}
