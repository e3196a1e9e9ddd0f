// expect: five runs of 20 ms
// The run in the middle of the sequence, not the median.
#include <algorithm>
#include <chrono>

#include "exercises.h"

double time_it(const std::function<void()>& work, td::Device device, int runs) {
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
  return seconds[seconds.size() / 2];
}
