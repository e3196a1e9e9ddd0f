#include <algorithm>
#include <map>

#include "exercises.h"

// answer: two_points
// expect: noisy times: expected
// Right without noise: the line through the smallest and the largest copy.
namespace two_points {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  const auto sizes = std::minmax_element(bytes.begin(), bytes.end());
  const auto a = sizes.first - bytes.begin(), b = sizes.second - bytes.begin();
  const double slope =
      (seconds[static_cast<std::size_t>(b)] - seconds[static_cast<std::size_t>(a)]) /
      static_cast<double>(*sizes.second - *sizes.first);
  return {seconds[static_cast<std::size_t>(a)] - slope * static_cast<double>(*sizes.first),
          1 / slope};
}
double predict_seconds(const LinkCost& link, double bytes) {
  return link.latency + bytes / link.bandwidth;
}
double half_bandwidth_bytes(const LinkCost& link) { return link.latency * link.bandwidth; }
}  // namespace two_points

// answer: no_latency
// expect: the example: expected 10 us and 12 GB/s, got 0 us
// The bandwidth is bytes / seconds of the largest copy, and small copies are just slow.
namespace no_latency {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  double best = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    best = std::max(best, static_cast<double>(bytes[i]) / seconds[i]);
  return {0, best};
}
double predict_seconds(const LinkCost& link, double bytes) {
  return link.latency + bytes / link.bandwidth;
}
double half_bandwidth_bytes(const LinkCost& link) { return link.latency * link.bandwidth; }
}  // namespace no_latency

// answer: shortest_is_latency
// expect: odd sizes: expected 10 us and 12 GB/s, got
// Takes the time of the smallest copy for the latency. Right for a copy of 0 bytes.
namespace shortest_is_latency {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  const double latency = *std::min_element(seconds.begin(), seconds.end());
  double all_bytes = 0, all_seconds = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    all_bytes += static_cast<double>(bytes[i]);
    all_seconds += seconds[i] - latency;
  }
  return {latency, all_bytes / all_seconds};
}
double predict_seconds(const LinkCost& link, double bytes) {
  return link.latency + bytes / link.bandwidth;
}
double half_bandwidth_bytes(const LinkCost& link) { return link.latency * link.bandwidth; }
}  // namespace shortest_is_latency

// answer: bytes_over_seconds
// expect: noisy times: expected
// Fits bytes as a line over seconds: the errors in bytes are the smallest, not those in seconds.
namespace bytes_over_seconds {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double b = static_cast<double>(bytes[i]), s = seconds[i];
    n += 1, x += b, y += s, xx += b * b, xy += b * s, yy += s * s;
  }
  const double bandwidth = (n * xy - x * y) / (n * yy - y * y);
  return {(y - x / bandwidth) / n, bandwidth};
}
double predict_seconds(const LinkCost& link, double bytes) {
  return link.latency + bytes / link.bandwidth;
}
double half_bandwidth_bytes(const LinkCost& link) { return link.latency * link.bandwidth; }
}  // namespace bytes_over_seconds

// answer: relative_errors
// expect: 8 noisy times: expected
// Makes the relative errors smallest, as chapter 14 does: another question, another line.
namespace relative_errors {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  double uu = 0, uv = 0, vv = 0, u_sum = 0, v_sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double u = 1 / seconds[i], v = static_cast<double>(bytes[i]) / seconds[i];
    uu += u * u, uv += u * v, vv += v * v, u_sum += u, v_sum += v;
  }
  const double determinant = uu * vv - uv * uv;
  return {(u_sum * vv - v_sum * uv) / determinant, determinant / (uu * v_sum - uv * u_sum)};
}
double predict_seconds(const LinkCost& link, double bytes) {
  return link.latency + bytes / link.bandwidth;
}
double half_bandwidth_bytes(const LinkCost& link) { return link.latency * link.bandwidth; }
}  // namespace relative_errors

// answer: seconds_per_byte
// expect: the example: expected 10 us and 12 GB/s, got 10 us and
// Returns the slope itself: seconds per byte instead of bytes per second.
namespace seconds_per_byte {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double b = static_cast<double>(bytes[i]), s = seconds[i];
    n += 1, x += b, y += s, xx += b * b, xy += b * s, yy += s * s;
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  return {(y - slope * x) / n, slope};
}
double predict_seconds(const LinkCost& link, double bytes) {
  return link.latency + bytes / link.bandwidth;
}
double half_bandwidth_bytes(const LinkCost& link) { return link.latency * link.bandwidth; }
}  // namespace seconds_per_byte

// answer: integer_squares
// expect: copies of up to 9 GB: expected
// Adds up the squares of the sizes as integers, which overflow from 4 GB on.
namespace integer_squares {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  std::int64_t x = 0;
  std::uint64_t xx = 0;
  double y = 0, xy = 0;
  const double n = static_cast<double>(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto size = static_cast<std::uint64_t>(bytes[i]);
    x += bytes[i], xx += size * size;
    y += seconds[i], xy += static_cast<double>(bytes[i]) * seconds[i];
  }
  const double sum = static_cast<double>(x);
  const double slope = (n * xy - sum * y) / (n * static_cast<double>(xx) - sum * sum);
  return {(y - slope * sum) / n, 1 / slope};
}
double predict_seconds(const LinkCost& link, double bytes) {
  return link.latency + bytes / link.bandwidth;
}
double half_bandwidth_bytes(const LinkCost& link) { return link.latency * link.bandwidth; }
}  // namespace integer_squares

// answer: each_size_once
// expect: 5 noisy times: expected
// Keeps the last time of a size that was measured several times.
namespace each_size_once {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  std::map<double, double> last;
  for (std::size_t i = 0; i < bytes.size(); ++i) last[static_cast<double>(bytes[i])] = seconds[i];
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [b, s] : last) n += 1, x += b, y += s, xx += b * b, xy += b * s;
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  return {(y - slope * x) / n, 1 / slope};
}
double predict_seconds(const LinkCost& link, double bytes) {
  return link.latency + bytes / link.bandwidth;
}
double half_bandwidth_bytes(const LinkCost& link) { return link.latency * link.bandwidth; }
}  // namespace each_size_once

// answer: no_negative_latency
// expect: 1 MB in 100 us and 2 MB in 300 us: expected -100 us
// Replaces a latency below zero by zero, and hides that the measurement is poor.
namespace no_negative_latency {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double b = static_cast<double>(bytes[i]), s = seconds[i];
    n += 1, x += b, y += s, xx += b * b, xy += b * s, yy += s * s;
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  return {std::max(0.0, (y - slope * x) / n), 1 / slope};
}
double predict_seconds(const LinkCost& link, double bytes) {
  return link.latency + bytes / link.bandwidth;
}
double half_bandwidth_bytes(const LinkCost& link) { return link.latency * link.bandwidth; }
}  // namespace no_negative_latency

// answer: predicts_bytes_only
// expect: the microseconds of 0 bytes with 10 us and 12 GB/s
// Forgets the latency in the prediction.
namespace predicts_bytes_only {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double b = static_cast<double>(bytes[i]), s = seconds[i];
    n += 1, x += b, y += s, xx += b * b, xy += b * s, yy += s * s;
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  return {(y - slope * x) / n, 1 / slope};
}
double predict_seconds(const LinkCost& link, double bytes) { return bytes / link.bandwidth; }
double half_bandwidth_bytes(const LinkCost& link) { return link.latency * link.bandwidth; }
}  // namespace predicts_bytes_only

// answer: predicts_the_larger
// expect: the microseconds of 120 bytes with 10 us and 12 GB/s
// Takes the larger of the two terms, as if they overlapped.
namespace predicts_the_larger {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double b = static_cast<double>(bytes[i]), s = seconds[i];
    n += 1, x += b, y += s, xx += b * b, xy += b * s, yy += s * s;
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  return {(y - slope * x) / n, 1 / slope};
}
double predict_seconds(const LinkCost& link, double bytes) {
  return std::max(link.latency, bytes / link.bandwidth);
}
double half_bandwidth_bytes(const LinkCost& link) { return link.latency * link.bandwidth; }
}  // namespace predicts_the_larger

// answer: half_of_the_latency
// expect: the bytes with half of the bandwidth
// Takes the size whose bytes need half of the latency.
namespace half_of_the_latency {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double b = static_cast<double>(bytes[i]), s = seconds[i];
    n += 1, x += b, y += s, xx += b * b, xy += b * s, yy += s * s;
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  return {(y - slope * x) / n, 1 / slope};
}
double predict_seconds(const LinkCost& link, double bytes) {
  return link.latency + bytes / link.bandwidth;
}
double half_bandwidth_bytes(const LinkCost& link) { return 0.5 * link.latency * link.bandwidth; }
}  // namespace half_of_the_latency

// answer: whole_bytes
// expect: the bytes with half of the bandwidth, with 10 us and 0.000123456 GB/s
// Rounds the size down to whole bytes.
namespace whole_bytes {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  const auto n = static_cast<double>(bytes.size());
  double x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    x += static_cast<double>(bytes[i]) / n;
    y += seconds[i] / n;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double from_mean = static_cast<double>(bytes[i]) - x;
    xx += from_mean * from_mean;
    xy += from_mean * (seconds[i] - y);
  }
  return {y - xy / xx * x, xx / xy};
}
double predict_seconds(const LinkCost& link, double bytes) {
  return link.latency + bytes / link.bandwidth;
}
double half_bandwidth_bytes(const LinkCost& link) {
  return static_cast<double>(static_cast<std::int64_t>(link.latency * link.bandwidth));
}
}  // namespace whole_bytes

// answer: predicts_whole_bytes
// expect: the microseconds of 2.5 bytes
// Drops the fraction of a size.
namespace predicts_whole_bytes {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  const auto n = static_cast<double>(bytes.size());
  double x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    x += static_cast<double>(bytes[i]) / n;
    y += seconds[i] / n;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double from_mean = static_cast<double>(bytes[i]) - x;
    xx += from_mean * from_mean;
    xy += from_mean * (seconds[i] - y);
  }
  return {y - xy / xx * x, xx / xy};
}
double predict_seconds(const LinkCost& link, double bytes) {
  return link.latency + static_cast<double>(static_cast<std::int64_t>(bytes)) / link.bandwidth;
}
double half_bandwidth_bytes(const LinkCost& link) { return link.latency * link.bandwidth; }
}  // namespace predicts_whole_bytes
