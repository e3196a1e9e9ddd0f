#include "exercises.h"

#include <algorithm>
#include <chrono>

// answer: nth_element
// Finds the median without sorting.
namespace nth_element {
double time_it(const std::function<void()>& work, td::Device device, int runs) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::chrono::nanoseconds> times;
  work();
  while (static_cast<int>(times.size()) < runs) {
    td::synchronize(device);
    const Clock::time_point start = Clock::now();
    work();
    td::synchronize(device);
    times.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start));
  }
  const auto middle = times.begin() + (runs - 1) / 2;
  std::nth_element(times.begin(), middle, times.end());
  return 1e-9 * static_cast<double>(middle->count());
}
}  // namespace nth_element

// answer: mean_of_the_middle
// The median of an even number of runs is the mean of the two in the middle, as in NumPy.
namespace mean_of_the_middle {
double time_it(const std::function<void()>& work, td::Device device, int runs) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  for (int run = -1; run < runs; ++run) {
    td::synchronize(device);
    const Clock::time_point start = Clock::now();
    work();
    td::synchronize(device);
    const std::chrono::duration<double> taken = Clock::now() - start;
    if (run >= 0) seconds.push_back(taken.count());
  }
  std::sort(seconds.begin(), seconds.end());
  const std::size_t n = seconds.size();
  return (seconds[n / 2] + seconds[(n - 1) / 2]) / 2;
}
}  // namespace mean_of_the_middle
