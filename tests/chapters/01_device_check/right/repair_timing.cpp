#include "exercises.h"
#include "td/device/allocator.h"
#include "td/device/stream.h"

// answer: waits_for_each_run
// Warms up twice, and waits after every run.
namespace waits_for_each_run {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::Device here = td::check_device(device);
  for (int run = 0; run < 2; ++run) {
    work();
    td::synchronize(here);
  }
  const std::size_t before = td::memory_stats(here).allocated;
  td::allocator(here).reset_peak();
  double time = -milliseconds();
  for (int left = runs; left > 0; --left) {
    work();
    td::synchronize(here);
  }
  time += milliseconds();
  const std::size_t peak = td::memory_stats(here).peak_allocated;
  return {time / runs, peak > before ? peak - before : 0};
}
}  // namespace waits_for_each_run
