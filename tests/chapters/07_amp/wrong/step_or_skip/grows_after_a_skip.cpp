// expect: the scales after ..!...: index 3: expected 4, got 8
// The count continues through an overflow. Right on the README's example.
#include <cmath>

#include "exercises.h"

bool step_or_skip(td::optim::Optimizer& optimizer, bool overflow, LossScale& scale) {
  if (overflow) {
    scale.scale *= scale.backoff_factor;
    return false;
  }
  optimizer.step();
  if (++scale.growth_tracker >= scale.growth_interval) {
    const float grown = scale.scale * scale.growth_factor;
    if (std::isfinite(grown)) scale.scale = grown;
    scale.growth_tracker = 0;
  }
  return true;
}
