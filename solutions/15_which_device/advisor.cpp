// advise: exercise 15.advisor, declared in exercises.h.
#include <algorithm>
#include <cmath>

#include "exercises.h"
#include "td/exercise.h"

// solution only
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  while (s > 0 && next[s - 1] < last[s - 1]) --s;
  if (s == 0) return sizes[0];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(std::ceil(from + (to - from) * before / (before + after)));
}

}  // namespace
// end

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  // blank: Measure; at each size: is another device 10 % faster? From which size on?
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] < seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (seconds[best][s] > 0.9 * seconds[last.device][s]) continue;
    const std::int64_t from = begin_of(seconds[last.device], seconds[best], sizes, s);
    if (from <= last.from) advice.pop_back();
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
  // end
}
