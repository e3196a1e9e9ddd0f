// expect: five runs of 20 ms, one of them held up for 400 ms: expected about 20 ms
// The mean: one interruption spoils the measure.
#include <chrono>

#include "exercises.h"

double time_it(const std::function<void()>& work, td::Device device, int runs) {
  work();
  td::synchronize(device);
  const auto start = std::chrono::steady_clock::now();
  for (int run = 0; run < runs; ++run) work();
  td::synchronize(device);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / runs;
}
