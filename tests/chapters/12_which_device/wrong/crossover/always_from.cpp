// expect: the example, host for device: expected kUpTo, got kFrom
// Divides, and takes for granted that a device is for the large sizes.
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
  const double size = (device.fixed - host.fixed) / (host.per_sample - device.per_sample);
  if (size < from) return {Advantage::kAlways};
  if (size > to) return {Advantage::kNever};
  return {Advantage::kFrom, size};
}
