// expect: three overflows: index 1: expected 0.5, got 1
// A smallest scale of 1, which would leave large losses overflowing forever.
#include <algorithm>
#include <cmath>

#include "exercises.h"

bool step_or_skip(td::optim::Optimizer& optimizer, bool overflow, LossScale& scale) {
  if (overflow) {
    scale.scale = std::max(1.0f, scale.scale * scale.backoff_factor);
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
}
