#include "exercises.h"

// answer: weighted_means
// Weighted means for the line, and the sign of the difference at both ends.
namespace weighted_means {
Cost fit_cost(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds) {
  // Each point has the weight 1 / seconds^2.
  double weights = 0, mean_size = 0, mean_seconds = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double weight = 1 / (seconds[i] * seconds[i]);
    weights += weight;
    mean_size += weight * static_cast<double>(sizes[i]);
    mean_seconds += weight * seconds[i];
  }
  mean_size /= weights;
  mean_seconds /= weights;
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double weight = 1 / (seconds[i] * seconds[i]);
    const double offset = static_cast<double>(sizes[i]) - mean_size;
    products += weight * offset * (seconds[i] - mean_seconds);
    squares += weight * offset * offset;
  }
  const double slope = products / squares;
  return {mean_seconds - slope * mean_size, slope};
}

Crossover crossover(const Cost& host, const Cost& device, double from, double to) {
  const double first = host.at(from) - device.at(from);  // positive: the device is faster
  const double last = host.at(to) - device.at(to);
  Crossover answer{Advantage::kNever, 0};
  if (first > 0) answer.advantage = last > 0 ? Advantage::kAlways : Advantage::kUpTo;
  if (first <= 0 && last > 0) answer.advantage = Advantage::kFrom;
  const bool crosses = answer.advantage == Advantage::kFrom || answer.advantage == Advantage::kUpTo;
  if (crosses) answer.size = from + (to - from) * first / (first - last);
  return answer;
}
}  // namespace weighted_means
