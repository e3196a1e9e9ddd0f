// expect: work of 40 ms on a stream that is not the current one
// Waits for the current stream; the work may use others.
#include <algorithm>
#include <chrono>

#include "exercises.h"

double time_it(const std::function<void()>& work, td::Device device, int runs) {
  work();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    td::getCurrentStream(device).synchronize();
    const auto start = std::chrono::steady_clock::now();
    work();
    td::getCurrentStream(device).synchronize();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}
