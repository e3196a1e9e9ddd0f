// expect: 3 runs and a warm-up are 4 calls; there were 3
#include <algorithm>
#include <chrono>

#include "exercises.h"

double time_it(const std::function<void()>& work, td::Device device, int runs) {
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
}
