#include "exercises.h"

#include <algorithm>
#include <chrono>

// answer: by_the_device
// Waits for the device, and finds the median without sorting everything.
namespace by_the_device {
double gb_per_s(std::size_t bytes, double seconds) {
  return 1e-9 * static_cast<double>(bytes) / seconds;
}

double copy_seconds(const td::Tensor& to, const td::Tensor& from, int runs) {
  using Clock = std::chrono::high_resolution_clock;
  const td::Device device = to.is_cpu() ? from.device() : to.device();
  to.copy_(from);
  std::vector<double> times;
  while (static_cast<int>(times.size()) < runs) {
    td::synchronize(device);
    const auto begin = Clock::now();
    to.copy_(from);
    td::synchronize(device);
    times.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  const auto middle = times.begin() + (runs - 1) / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}
}  // namespace by_the_device
