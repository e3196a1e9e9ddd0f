#include "exercises.h"

#include <algorithm>
#include <cmath>

// answer: absolute_errors
// expect: a fixed cost of 20 us
// Fits the absolute errors, so that the largest sizes decide.
namespace absolute_errors {
Cost fit_cost(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds) {
  double uu = 0, uv = 0, vv = 0, u_sum = 0, v_sum = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double weight = 1, u = weight, v = weight * static_cast<double>(sizes[i]);
    uu += u * u;
    uv += u * v;
    vv += v * v;
    u_sum += u * seconds[i];
    v_sum += v * seconds[i];
  }
  const double determinant = uu * vv - uv * uv;
  return {(u_sum * vv - v_sum * uv) / determinant, (uu * v_sum - uv * u_sum) / determinant};
}

Crossover crossover(const Cost& host, const Cost& device, double from, double to) {
  const bool at_first = device.at(from) < host.at(from), at_last = device.at(to) < host.at(to);
  if (at_first && at_last) return {Advantage::kAlways};
  if (!at_first && !at_last) return {Advantage::kNever};
  const double size = (device.fixed - host.fixed) / (host.per_sample - device.per_sample);
  return {at_last ? Advantage::kFrom : Advantage::kUpTo, size};
}
}  // namespace absolute_errors

// answer: always_from
// expect: the example, host for device: expected kUpTo, got kFrom
// Divides, and takes for granted that a device is for the large sizes.
namespace always_from {
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
}  // namespace always_from

// answer: compares_the_slopes_only
// expect: parallel, the device faster
// Decides by the cost per sample alone.
namespace compares_the_slopes_only {
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
  if (device.per_sample >= host.per_sample)
    return {at_first && at_last && device.per_sample > host.per_sample ? Advantage::kAlways
            : at_first && !at_last                                     ? Advantage::kUpTo
                                                                       : Advantage::kNever,
            (device.fixed - host.fixed) / (host.per_sample - device.per_sample)};
  if (at_first && at_last) return {Advantage::kAlways};
  if (!at_first && !at_last) return {Advantage::kNever};
  const double size = (device.fixed - host.fixed) / (host.per_sample - device.per_sample);
  return {at_last ? Advantage::kFrom : Advantage::kUpTo, size};
}
}  // namespace compares_the_slopes_only

// answer: equal_is_faster
// expect: equal at the first size, then faster: expected kFrom, got kAlways
// Takes equally fast for faster.
namespace equal_is_faster {
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
}  // namespace equal_is_faster

// answer: first_and_last
// expect: us per sample, and a smaller one for
// Draws the line through the first and the last size.
namespace first_and_last {
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
}  // namespace first_and_last

// answer: ignores_the_range
// expect: a crossing at a negative size
// Reports a crossing wherever it is.
namespace ignores_the_range {
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
  if (host.per_sample == device.per_sample)
    return {device.fixed < host.fixed ? Advantage::kAlways : Advantage::kNever};
  const bool at_last = device.per_sample < host.per_sample;
  const double size = (device.fixed - host.fixed) / (host.per_sample - device.per_sample);
  return {at_last ? Advantage::kFrom : Advantage::kUpTo, size};
}
}  // namespace ignores_the_range

// answer: whole_samples
// expect: a crossing at 94.6, the size: index 0: expected 94.6, got 95
// Rounds the size up, because the size of a batch is an integer.
namespace whole_samples {
Cost fit_cost(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds) {
  return always_from::fit_cost(sizes, seconds);
}

Crossover crossover(const Cost& host, const Cost& device, double from, double to) {
  Crossover found = equal_is_faster::crossover(host, device, from, to);
  // 1e-9: the crossing of the example is computed as 95.00000000000001.
  if (found.size > 0) found.size = std::ceil(found.size - 1e-9);
  const bool at_first = device.at(from) < host.at(from), at_last = device.at(to) < host.at(to);
  if (at_first == at_last) return {at_first ? Advantage::kAlways : Advantage::kNever};
  found.advantage = at_last ? Advantage::kFrom : Advantage::kUpTo;
  if (device.at(from) == host.at(from)) found.size = from;
  if (device.at(to) == host.at(to)) found.size = to;
  return found;
}
}  // namespace whole_samples

// answer: never_below_zero
// expect: 10 ms at 10 and 30 ms at 20, fixed, in microseconds
// A cost cannot be negative, it believes. A line can.
namespace never_below_zero {
Cost fit_cost(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds) {
  const Cost cost = always_from::fit_cost(sizes, seconds);
  return {std::max(0.0, cost.fixed), std::max(0.0, cost.per_sample)};
}

Crossover crossover(const Cost& host, const Cost& device, double from, double to) {
  return first_and_last::crossover(host, device, from, to);
}
}  // namespace never_below_zero

// answer: begins_at_one
// expect: a crossing at 95, between 100 and 4096
// Takes one sample for the smallest size, whatever the range.
namespace begins_at_one {
Cost fit_cost(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds) {
  return always_from::fit_cost(sizes, seconds);
}

Crossover crossover(const Cost& host, const Cost& device, double from, double to) {
  return first_and_last::crossover(host, device, std::min(from, 1.0), to);
}
}  // namespace begins_at_one

// answer: a_nanosecond_is_equal
// expect: parallel, the device 0.1 ns faster: expected kAlways, got kNever
// Times that differ by less than 1 ns count as equal.
namespace a_nanosecond_is_equal {
Cost fit_cost(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds) {
  double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double a = 1 / seconds[i], b = double(sizes[i]) / seconds[i];
    aa += a * a;
    ab += a * b;
    bb += b * b;
    a1 += a;
    b1 += b;
  }
  const double det = aa * bb - ab * ab;
  return {(a1 * bb - b1 * ab) / det, (b1 * aa - a1 * ab) / det};
}
Crossover crossover(const Cost& host, const Cost& device, double from, double to) {
  const bool first = device.at(from) < host.at(from) - 1e-9,
             last = device.at(to) < host.at(to) - 1e-9;
  if (first == last) return {first ? Advantage::kAlways : Advantage::kNever};
  return {last ? Advantage::kFrom : Advantage::kUpTo,
          (device.fixed - host.fixed) / (host.per_sample - device.per_sample)};
}
}  // namespace a_nanosecond_is_equal
