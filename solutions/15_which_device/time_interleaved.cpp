// time_interleaved: exercise 15.time_interleaved, declared in exercises.h.
#include <algorithm>

#include "exercises.h"
#include "td/exercise.h"

std::vector<std::vector<double>> time_interleaved(const std::vector<Measure>& devices,
                                                  const std::vector<std::int64_t>& sizes,
                                                  int runs) {
  // blank: Rounds outside, sizes, then devices; the medians at the end. About 13 lines.
  std::vector<std::vector<std::vector<double>>> all(devices.size(),
                                                    std::vector<std::vector<double>>(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);  // the first round warms up
      }
  std::vector<std::vector<double>> medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
  // end
}
