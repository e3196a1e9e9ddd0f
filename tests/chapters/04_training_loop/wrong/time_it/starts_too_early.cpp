// expect: one run of 20 ms after a warm-up of 20 ms: expected about 20 ms
// Waits at the end only: the warm-up is still running when the clock starts.
#include <algorithm>
#include <chrono>

#include "exercises.h"

double time_it(const std::function<void()>& work, td::Device device, int runs) {
  for (int warm = 0; warm < 1; ++warm) work();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    td::synchronize(device);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}
