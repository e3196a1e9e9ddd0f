// expect: a fixed cost of 20 us, and times that are up to 10 % off: expected 18 to 22 us, got
// The textbook line: right where points lie on one. Else the largest size decides alone.
#include <algorithm>

#include "exercises.h"

std::vector<std::vector<double>> time_in_turns(const std::vector<Measure>& devices,
                                               const std::vector<std::int64_t>& sizes, int runs) {
  std::vector<std::vector<std::vector<double>>> all(devices.size(),
                                                    std::vector<std::vector<double>>(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);  // the first round warms up
      }
  std::vector<std::vector<double>> medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}

Cost fit_cost(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto size = static_cast<double>(sizes[i]);
    n += 1;
    x += size;
    y += seconds[i];
    xx += size * size;
    xy += size * seconds[i];
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  return {(y - slope * x) / n, slope};
}

Crossover crossover(const Cost& host, const Cost& device, double from, double to) {
  const bool at_first = device.at(from) < host.at(from), at_last = device.at(to) < host.at(to);
  if (at_first && at_last) return {Worth::kAlways};
  if (!at_first && !at_last) return {Worth::kNever};
  const double size = (device.fixed - host.fixed) / (host.per_sample - device.per_sample);
  return {at_last ? Worth::kFrom : Worth::kUpTo, size};
}
