#include "exercises.h"

#include <algorithm>
#include <chrono>

// answer: counts_the_warm_up
// expect: 3 runs and a warm-up are 4 calls; there were 3
namespace counts_the_warm_up {
double time_it(const std::function<void()>& work, td::Device device, int runs) {
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    td::synchronize(device);
    const auto start = std::chrono::steady_clock::now();
    work();
    td::synchronize(device);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}
}  // namespace counts_the_warm_up

// answer: current_device
// expect: work of 40 ms on sim:1: expected about 40 ms
// Waits for the current device of this type. Right for its device 0.
namespace current_device {
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
}  // namespace current_device

// answer: current_stream_only
// expect: work of 40 ms on a stream that is not the current one
// Waits for the current stream; the work may use others.
namespace current_stream_only {
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
}  // namespace current_stream_only

// answer: fastest
// expect: five runs of 20 ms, one of them of 1 ms
// The minimum.
namespace fastest {
double time_it(const std::function<void()>& work, td::Device device, int runs) {
  work();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    td::synchronize(device);
    const auto start = std::chrono::steady_clock::now();
    work();
    td::synchronize(device);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return *std::min_element(seconds.begin(), seconds.end());
}
}  // namespace fastest

// answer: mean
// expect: five runs of 20 ms, one of them held up for 350 ms: expected about 20 ms
// The mean: one interruption spoils the measure.
namespace mean {
double time_it(const std::function<void()>& work, td::Device device, int runs) {
  work();
  td::synchronize(device);
  const auto start = std::chrono::steady_clock::now();
  for (int run = 0; run < runs; ++run) work();
  td::synchronize(device);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / runs;
}
}  // namespace mean

// answer: no_waiting
// expect: work of 40 ms on sim:0: expected about 40 ms
// Right on cpu. On a device this is only the time to launch the work.
namespace no_waiting {
double time_it(const std::function<void()>& work, td::Device, int runs) {
  work();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}
}  // namespace no_waiting

// answer: not_sorted
// expect: five runs of 20 ms
// The run in the middle of the sequence, not the median.
namespace not_sorted {
double time_it(const std::function<void()>& work, td::Device device, int runs) {
  work();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    td::synchronize(device);
    const auto start = std::chrono::steady_clock::now();
    work();
    td::synchronize(device);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return seconds[seconds.size() / 2];
}
}  // namespace not_sorted

// answer: starts_too_early
// expect: one run of 50 ms after a warm-up of 250 ms on sim:0: expected about 50 ms
// Waits at the end only: the warm-up is still running when the clock starts.
namespace starts_too_early {
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
}  // namespace starts_too_early

// answer: one_too_far
// expect: runs of 150, 1, 160, 40 and 10 ms: expected about 40 ms
// Sorts, and takes the run after the one in the middle.
namespace one_too_far {
double time_it(const std::function<void()>& work, td::Device device, int runs) {
  work();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    td::synchronize(device);
    const auto start = std::chrono::steady_clock::now();
    work();
    td::synchronize(device);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[std::min(seconds.size() / 2 + 1, seconds.size() - 1)];
}
}  // namespace one_too_far

// answer: starts_on_one_stream
// expect: on a stream of sim:0 that is not the current one
// Waits for the current stream before the clock starts, and for the device before it stops.
namespace starts_on_one_stream {
double time_it(const std::function<void()>& work, td::Device device, int runs) {
  work();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    td::getCurrentStream(device).synchronize();
    const auto start = std::chrono::steady_clock::now();
    work();
    td::synchronize(device);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}
}  // namespace starts_on_one_stream

// answer: whole_milliseconds
// expect: five times of short runs are whole milliseconds
// Rounds each run down to whole milliseconds.
namespace whole_milliseconds {
double time_it(const std::function<void()>& work, td::Device device, int runs) {
  using Clock = std::chrono::steady_clock;
  work();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    td::synchronize(device);
    const auto start = Clock::now();
    work();
    td::synchronize(device);
    seconds.push_back(
        1e-3 *
        static_cast<double>(
            std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count()));
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}
}  // namespace whole_milliseconds

// answer: three_runs_at_least
// expect: runs = 1: with the warm-up, 2 calls were expected; there were 4
// Measures more often than it is told to.
namespace three_runs_at_least {
double time_it(const std::function<void()>& work, td::Device device, int runs) {
  using Clock = std::chrono::steady_clock;
  runs = std::max(runs, 3);
  work();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    td::synchronize(device);
    const auto start = Clock::now();
    work();
    td::synchronize(device);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}
}  // namespace three_runs_at_least
