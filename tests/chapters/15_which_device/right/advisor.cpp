#include "exercises.h"

#include <algorithm>
#include <cmath>
#include <map>

// answer: from_the_crossover
// The crossing comes from two fitted lines, and the advice is built as two lists.
namespace from_the_crossover {
namespace {

struct Line {
  double fixed, slope;
};

Line line_through(double x0, double y0, double x1, double y1) {
  const double slope = (y1 - y0) / (x1 - x0);
  return {y0 - slope * x0, slope};
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const std::size_t n = sizes.size();
  std::vector<std::vector<double>> samples(devices.size() * n);
  for (int round = -1; round < runs; ++round)
    for (std::size_t s = 0; s < n; ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double taken = devices[d](sizes[s]);
        if (round >= 0) samples[d * n + s].push_back(taken);
      }
  const auto time = [&](std::size_t d, std::size_t s) { return median(samples[d * n + s]); };
  std::vector<std::size_t> which = {0};
  std::vector<std::int64_t> since = {sizes.front()};
  for (std::size_t s = 0; s < n; ++s) {
    std::size_t fastest = 0;
    for (std::size_t d = 0; d < devices.size(); ++d)
      if (time(d, s) < time(fastest, s)) fastest = d;
    const std::size_t now = which.back();
    if (time(fastest, s) > 0.9 * time(now, s)) continue;
    std::int64_t begin = sizes.front();
    for (std::size_t i = s; i > 0; --i) {
      if (time(fastest, i - 1) < time(now, i - 1)) continue;
      const auto x0 = static_cast<double>(sizes[i - 1]), x1 = static_cast<double>(sizes[i]);
      const Line a = line_through(x0, time(now, i - 1), x1, time(now, i));
      const Line b = line_through(x0, time(fastest, i - 1), x1, time(fastest, i));
      begin = static_cast<std::int64_t>(std::ceil((b.fixed - a.fixed) / (a.slope - b.slope)));
      break;
    }
    if (begin > since.back()) {
      which.push_back(fastest);
      since.push_back(begin);
    } else {
      which.back() = fastest;
    }
  }
  std::vector<Advice> advice;
  for (std::size_t i = 0; i < which.size(); ++i) advice.push_back({which[i], since[i]});
  return advice;
}
}  // namespace from_the_crossover

// answer: by_bisection
// Walks the sizes between two measured ones in halves until it finds where the new device begins.
namespace by_bisection {
std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  std::map<std::pair<std::size_t, std::int64_t>, std::vector<double>> seconds;
  for (int round = 0; round <= runs; ++round)
    for (const std::int64_t size : sizes)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double taken = devices[d](size);
        if (round > 0) seconds[{d, size}].push_back(taken);
      }
  for (auto& [cell, all] : seconds) std::sort(all.begin(), all.end());
  const auto median = [&](std::size_t d, std::int64_t size) {
    const std::vector<double>& all = seconds.at({d, size});
    return all[all.size() / 2];
  };
  std::vector<Advice> advice(1, {0, sizes.front()});
  for (auto size = sizes.begin(); size != sizes.end(); ++size) {
    std::size_t fastest = 0;
    for (std::size_t d = 0; d < devices.size(); ++d)
      if (median(d, *size) < median(fastest, *size)) fastest = d;
    const std::size_t old = advice.back().device;
    if (!(median(fastest, *size) <= 0.9 * median(old, *size))) continue;
    const auto lead = [&](std::int64_t at) { return median(old, at) - median(fastest, at); };
    auto low = size;
    while (low != sizes.begin() && lead(*(low - 1)) > 0) --low;
    std::int64_t begin = *low;
    if (low != sizes.begin()) {
      const std::int64_t first = *(low - 1), last = *low;
      // The smallest whole size at which the straight lines have met.
      const auto met = [&](std::int64_t at) {
        return lead(first) * static_cast<double>(last - at) +
                   lead(last) * static_cast<double>(at - first) >=
               0;
      };
      std::int64_t no = first - 1;
      while (begin - no > 1) {
        const std::int64_t middle = no + (begin - no) / 2;
        (met(middle) ? begin : no) = middle;
      }
    }
    if (begin <= advice.back().from)
      advice.back().device = fastest;
    else
      advice.push_back({fastest, begin});
  }
  return advice;
}
}  // namespace by_bisection
