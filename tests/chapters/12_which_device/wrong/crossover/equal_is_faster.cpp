// expect: equal at the first size, then faster: expected kFrom, got kAlways
// Takes equally fast for faster.
#include "exercises.h"

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
  const bool at_first = device.at(from) <= host.at(from), at_last = device.at(to) <= host.at(to);
  if (at_first && at_last) return {Advantage::kAlways};
  if (!at_first && !at_last) return {Advantage::kNever};
  const double size = (device.fixed - host.fixed) / (host.per_sample - device.per_sample);
  return {at_last ? Advantage::kFrom : Advantage::kUpTo, size};
}
