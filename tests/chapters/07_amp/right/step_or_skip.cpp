#include "exercises.h"

#include <cmath>

// answer: counts_down
// Decides the factor first, and applies it once.
namespace counts_down {
bool step_or_skip(td::optim::Optimizer& optimizer, bool overflow, LossScale& scale) {
  if (!overflow) optimizer.step();
  const std::int64_t steps = overflow ? 0 : scale.growth_tracker + 1;
  const bool grow = steps >= scale.growth_interval;
  const float factor = overflow ? scale.backoff_factor : grow ? scale.growth_factor : 1.0f;
  if (std::isfinite(scale.scale * factor)) scale.scale *= factor;
  scale.growth_tracker = grow ? 0 : steps;
  return !overflow;
}
}  // namespace counts_down
