// time_it: exercise 4.time_it, declared in exercises.h.
#include <algorithm>
#include <chrono>

#include "exercises.h"
#include "td/exercise.h"

double time_it(const std::function<void()>& work, td::Device device, int runs) {
  // blank: Warm up; for each run wait, start, work, wait, stop; take the median. About 12 lines.
  work();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    td::synchronize(device);
    const auto start = std::chrono::steady_clock::now();
    work();
    td::synchronize(device);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
  // end
}
