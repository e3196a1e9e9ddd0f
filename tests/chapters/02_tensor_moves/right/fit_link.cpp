#include <algorithm>
#include <numeric>

#include "exercises.h"

// answer: normal_equations
// Sums and Cramer's rule; the sizes in megabytes, so that the numbers stay near 1.
namespace normal_equations {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double b = 1e-6 * static_cast<double>(bytes[i]), s = seconds[i];
    n += 1, x += b, y += s, xx += b * b, xy += b * s;
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  return {(y - slope * x) / n, 1e6 / slope};
}
double predict_seconds(const LinkCost& link, double bytes) {
  return link.latency + bytes / link.bandwidth;
}
double half_bandwidth_bytes(const LinkCost& link) { return link.latency * link.bandwidth; }
}  // namespace normal_equations

// answer: weighted_mean_of_slopes
// The slope as a mean of the slopes to the mean point, weighted by squared distances.
namespace weighted_mean_of_slopes {
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  const std::vector<double> sizes(bytes.begin(), bytes.end());
  const auto mean = [](const std::vector<double>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  const double x = mean(sizes), y = mean(seconds);
  std::vector<double> left(sizes), up(seconds);
  for (double& v : left) v -= x;
  for (double& v : up) v -= y;
  const double bandwidth = std::inner_product(left.begin(), left.end(), left.begin(), 0.0) /
                           std::inner_product(left.begin(), left.end(), up.begin(), 0.0);
  return {y - x / bandwidth, bandwidth};
}
double predict_seconds(const LinkCost& link, double bytes) {
  return (link.latency * link.bandwidth + bytes) / link.bandwidth;
}
double half_bandwidth_bytes(const LinkCost& link) { return link.latency / (1 / link.bandwidth); }
}  // namespace weighted_mean_of_slopes
