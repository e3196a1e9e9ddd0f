#include "exercises.h"

#include <algorithm>
#include <cmath>

// answer: grows_after_a_skip
// expect: the scales after ..!...: index 3: expected 4, got 8
// The count continues through an overflow. Right on the README's example.
namespace grows_after_a_skip {
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
}  // namespace grows_after_a_skip

// answer: grows_every_time
// expect: the scales of seven good steps: index 3: expected 2, got 4
// Once the interval is reached, every step makes the scale grow.
namespace grows_every_time {
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
}  // namespace grows_every_time

// answer: grows_to_infinity
// expect: a scale of 1e38 that would grow 16 times: index 0: expected 1e+38, got inf
// Does not check whether the larger scale is finite.
namespace grows_to_infinity {
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
}  // namespace grows_to_infinity

// answer: never_below_one
// expect: three overflows: index 1: expected 0.5, got 1
// A smallest scale of 1, which would leave large losses overflowing forever.
namespace never_below_one {
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
}  // namespace never_below_one

// answer: one_step_late
// expect: the scales: index 1: expected 8, got 4
// Grows after growth_interval + 1 steps.
namespace one_step_late {
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
}  // namespace one_step_late

// answer: steps_anyway
// expect: steps that the optimizer made in .!.!!..: index 0: expected 4, got 7
// Reduces the scale, but makes the step anyway.
namespace steps_anyway {
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
}  // namespace steps_anyway

// answer: counts_on_at_the_limit
// expect: after 3 steps with a scale that cannot grow: the count begins again: expected 0
// Counts on where the scale cannot grow.
namespace counts_on_at_the_limit {
bool step_or_skip(td::optim::Optimizer& optimizer, bool overflow, LossScale& scale) {
  if (overflow) {
    scale.scale *= scale.backoff_factor;
    scale.growth_tracker = 0;
    return false;
  }
  optimizer.step();
  const float grown = scale.scale * scale.growth_factor;
  if (++scale.growth_tracker >= scale.growth_interval && grown <= 3.4e38f) {
    scale.scale = grown;
    scale.growth_tracker = 0;
  }
  return true;
}
}  // namespace counts_on_at_the_limit
