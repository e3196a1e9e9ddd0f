// expect: a stream of the pool
// Waits for the default stream, whichever is current.
#include <algorithm>
#include <chrono>

#include "exercises.h"

double gb_per_s(std::size_t bytes, double seconds) {
  return static_cast<double>(bytes) / seconds / 1e9;
}

double copy_seconds(const td::Tensor& to, const td::Tensor& from, int runs) {
  const td::Stream stream = td::getDefaultStream(to.is_cpu() ? from.device() : to.device());
  stream.synchronize();
  std::vector<double> seconds;
  for (int run = 0; run <= runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    to.copy_(from, /*non_blocking=*/true);
    stream.synchronize();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (run > 0) seconds.push_back(taken.count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}
