// expect: three copies of 20 ms, one of them 300 ms
// One interruption is the result.
#include <algorithm>
#include <chrono>

#include "exercises.h"

double gb_per_s(std::size_t bytes, double seconds) {
  return static_cast<double>(bytes) / seconds / 1e9;
}

double copy_seconds(const td::Tensor& to, const td::Tensor& from, int runs) {
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
  return seconds.back();
}
