// expect: has smaller relative errors
// Draws the line through the first and the last size.
#include "exercises.h"

Cost fit_cost(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds) {
  const std::size_t last = sizes.size() - 1;
  const double slope = (seconds[last] - seconds[0]) / static_cast<double>(sizes[last] - sizes[0]);
  return {seconds[0] - slope * static_cast<double>(sizes[0]), slope};
}

Crossover crossover(const Cost& host, const Cost& device, double from, double to) {
  const bool at_first = device.at(from) < host.at(from), at_last = device.at(to) < host.at(to);
  if (at_first && at_last) return {Advantage::kAlways};
  if (!at_first && !at_last) return {Advantage::kNever};
  const double size = (device.fixed - host.fixed) / (host.per_sample - device.per_sample);
  return {at_last ? Advantage::kFrom : Advantage::kUpTo, size};
}
