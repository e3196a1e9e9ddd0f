// expect: with a slow call now and then, microseconds of device
// One interruption counts as much as all the other runs.
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
      double sum = 0;
      for (const double s : seconds) sum += s;
      medians[d].push_back(sum / static_cast<double>(seconds.size()));
    }
  return medians;
}

Cost fit_cost(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds) {
  double uu = 0, uv = 0, vv = 0, u_sum = 0, v_sum = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double u = 1 / seconds[i], v = static_cast<double>(sizes[i]) / seconds[i];
    uu += u * u;
    uv += u * v;
    vv += v * v;
    u_sum += u;
    v_sum += v;
  }
  const double determinant = uu * vv - uv * uv;
  return {(u_sum * vv - v_sum * uv) / determinant, (uu * v_sum - uv * u_sum) / determinant};
}

Crossover crossover(const Cost& host, const Cost& device, double from, double to) {
  const bool at_first = device.at(from) < host.at(from), at_last = device.at(to) < host.at(to);
  if (at_first && at_last) return {Worth::kAlways};
  if (!at_first && !at_last) return {Worth::kNever};
  const double size = (device.fixed - host.fixed) / (host.per_sample - device.per_sample);
  return {at_last ? Worth::kFrom : Worth::kUpTo, size};
}
