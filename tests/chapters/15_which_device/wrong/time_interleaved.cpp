#include "exercises.h"

#include <algorithm>

#include "td/exercise.h"

// answer: counts_the_warm_up
// expect: microseconds of the only device
// Makes the extra round, and counts it. Right with many runs.
namespace counts_the_warm_up {
std::vector<std::vector<double>> time_interleaved(const std::vector<Measure>& devices,
                                                  const std::vector<std::int64_t>& sizes,
                                                  int runs) {
  std::vector<std::vector<std::vector<double>>> all(devices.size(),
                                                    std::vector<std::vector<double>>(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        all[d][s].push_back(seconds);  // the first round warms up
      }
  std::vector<std::vector<double>> medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}
}  // namespace counts_the_warm_up

// answer: does_not_sort
// expect: microseconds of device
// Takes the middle run instead of the median.
namespace does_not_sort {
std::vector<std::vector<double>> time_interleaved(const std::vector<Measure>& devices,
                                                  const std::vector<std::int64_t>& sizes,
                                                  int runs) {
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
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}
}  // namespace does_not_sort

// answer: forgets_the_warm_up
// expect: are 12 calls; there were 8
// Makes no round that does not count.
namespace forgets_the_warm_up {
std::vector<std::vector<double>> time_interleaved(const std::vector<Measure>& devices,
                                                  const std::vector<std::int64_t>& sizes,
                                                  int runs) {
  std::vector<std::vector<std::vector<double>>> all(devices.size(),
                                                    std::vector<std::vector<double>>(sizes.size()));
  for (int round = 0; round < runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        all[d][s].push_back(seconds);  // the first round warms up
      }
  std::vector<std::vector<double>> medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}
}  // namespace forgets_the_warm_up

// answer: one_device_after_another
// expect: expected three rounds of a1 b1 a64 b64
// Measures one device completely before the next one.
namespace one_device_after_another {
std::vector<std::vector<double>> time_interleaved(const std::vector<Measure>& devices,
                                                  const std::vector<std::int64_t>& sizes,
                                                  int runs) {
  std::vector<std::vector<std::vector<double>>> all(devices.size(),
                                                    std::vector<std::vector<double>>(sizes.size()));
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (int round = 0; round <= runs; ++round)
      for (std::size_t s = 0; s < sizes.size(); ++s) {
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
}
}  // namespace one_device_after_another

// answer: the_fastest_of_all_runs
// expect: with a call that is too fast now and then
// Right where disturbances only slow runs down. It returns the smallest time, not the median.
namespace the_fastest_of_all_runs {
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
}  // namespace the_fastest_of_all_runs

// answer: the_mean
// expect: with a slow call now and then
// Takes the mean, which one slow run moves.
namespace the_mean {
std::vector<std::vector<double>> time_interleaved(const std::vector<Measure>& devices,
                                                  const std::vector<std::int64_t>& sizes,
                                                  int runs) {
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
      double sum = 0;
      for (const double one : seconds) sum += one;
      medians[d].push_back(sum / static_cast<double>(seconds.size()));
    }
  return medians;
}
}  // namespace the_mean

// answer: warms_up_each_size
// expect: expected three rounds of
// Repeats each measurement immediately, so that a busy period affects only one device.
namespace warms_up_each_size {
std::vector<std::vector<double>> time_interleaved(const std::vector<Measure>& devices,
                                                  const std::vector<std::int64_t>& sizes,
                                                  int runs) {
  std::vector<std::vector<std::vector<double>>> all(devices.size(),
                                                    std::vector<std::vector<double>>(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        if (round == 0) continue;
        if (round == 1) devices[d](sizes[s]);
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
}
}  // namespace warms_up_each_size

namespace {

/// Measures in the right order, and returns what `middle` makes of the sorted times of each cell.
template <class Middle>
std::vector<std::vector<double>> each_cell(const std::vector<Measure>& devices,
                                           const std::vector<std::int64_t>& sizes, int runs,
                                           const Middle& middle) {
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
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      result[d].push_back(middle(seconds));
    }
  return result;
}

}  // namespace

// answer: trims_the_extremes
// expect: 5 runs of device 0 that take 1 to 64 units: expected the median, 4, got
// The mean without the fastest and the slowest run. Right if only one run was disturbed.
namespace trims_the_extremes {
std::vector<std::vector<double>> time_interleaved(const std::vector<Measure>& devices,
                                                  const std::vector<std::int64_t>& sizes,
                                                  int runs) {
  return each_cell(devices, sizes, runs, [](const std::vector<double>& sorted) {
    const std::size_t skip = sorted.size() > 2 ? 1 : 0;
    double sum = 0;
    for (std::size_t i = skip; i + skip < sorted.size(); ++i) sum += sorted[i];
    return sum / static_cast<double>(sorted.size() - 2 * skip);
  });
}
}  // namespace trims_the_extremes

// answer: one_past_the_middle
// expect: 4 runs of device 0 that take 1 to 64 units: expected the median, 2 or 8 or their mean,
// got An index that is right for odd numbers of runs only.
namespace one_past_the_middle {
std::vector<std::vector<double>> time_interleaved(const std::vector<Measure>& devices,
                                                  const std::vector<std::int64_t>& sizes,
                                                  int runs) {
  return each_cell(devices, sizes, runs, [](const std::vector<double>& sorted) {
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 || sorted.size() == 2 ? sorted[middle] : sorted[middle + 1];
  });
}
}  // namespace one_past_the_middle
