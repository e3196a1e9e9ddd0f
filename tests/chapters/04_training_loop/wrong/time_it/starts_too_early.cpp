// expect: one run of 50 ms after a warm-up of 400 ms on sim:0: expected about 50 ms
// Waits at the end only: the warm-up is still running when the clock starts.
#include <algorithm>
#include <chrono>

#include "exercises.h"

double time_it(const std::function<void()>& work, td::Device device, int runs) {
  work();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    td::synchronize(device);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}
