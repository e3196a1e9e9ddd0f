// fit_link, predict_seconds and half_bandwidth_bytes: exercise 2.fit_link, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  // blank: The means, then the slope of the line, then its start. About 11 lines.
  const double count = static_cast<double>(bytes.size());
  double mean_bytes = 0, mean_seconds = 0, products = 0, squares = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    mean_bytes += static_cast<double>(bytes[i]) / count;
    mean_seconds += seconds[i] / count;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double distance = static_cast<double>(bytes[i]) - mean_bytes;
    products += distance * (seconds[i] - mean_seconds);
    squares += distance * distance;
  }
  const double seconds_per_byte = products / squares;
  return {mean_seconds - seconds_per_byte * mean_bytes, 1 / seconds_per_byte};
  // end
}

double predict_seconds(const LinkCost& link, double bytes) {
  // blank: The formula of the section. One line.
  return link.latency + bytes / link.bandwidth;
  // end
}

double half_bandwidth_bytes(const LinkCost& link) {
  // blank: For which size do the two terms take equally long? One line.
  return link.latency * link.bandwidth;
  // end
}
