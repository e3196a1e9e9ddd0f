// expect: with a call that is too fast now and then
// Right where disturbances only slow runs down. It returns the smallest time, not the median.
#include <algorithm>

#include "exercises.h"
#include "td/exercise.h"

std::vector<std::vector<double>> time_interleaved(const std::vector<Measure>& devices,
                                                  const std::vector<std::int64_t>& sizes,
                                                  int runs) {
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
      result[d].push_back(one[0]);
    }
  return result;
}
