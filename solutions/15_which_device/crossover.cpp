// fit_cost and crossover: exercise 15.crossover, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

Cost fit_cost(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds) {
  // blank: Five sums over 1 / seconds and size / seconds; two equations. About 11 lines.
  //! With u = 1 / seconds and v = size / seconds the errors are fixed * u + per_sample * v - 1.
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
  // end
}

Crossover crossover(const Cost& host, const Cost& device, double from, double to) {
  // blank: Which is faster at each end? Divide only if they differ. About 6 lines.
  const bool at_first = device.at(from) < host.at(from), at_last = device.at(to) < host.at(to);
  if (at_first && at_last) return {Advantage::kAlways};
  if (!at_first && !at_last) return {Advantage::kNever};
  const double size = (device.fixed - host.fixed) / (host.per_sample - device.per_sample);
  return {at_last ? Advantage::kFrom : Advantage::kUpTo, size};
  // end
}
