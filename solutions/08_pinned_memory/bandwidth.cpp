// gb_per_s and copy_seconds: exercise 8.bandwidth, declared in exercises.h.
#include <algorithm>
#include <chrono>

#include "exercises.h"
#include "td/exercise.h"

double gb_per_s(std::size_t bytes, double seconds) {
  // blank: Bytes per second, in units of 10^9. 1 line.
  return static_cast<double>(bytes) / seconds / 1e9;
  // end
}

double copy_seconds(const td::Tensor& to, const td::Tensor& from, int runs) {
  // blank: Per run: wait, start, copy, wait, stop; skip run 0; median. About 13 lines.
  const td::Stream stream = td::getCurrentStream(to.is_cpu() ? from.device() : to.device());
  stream.synchronize();
  std::vector<double> seconds;
  for (int run = 0; run <= runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    to.copy_(from, /*non_blocking=*/true);
    stream.synchronize();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (run > 0) seconds.push_back(taken.count());  // the first one warms up
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
  // end
}
