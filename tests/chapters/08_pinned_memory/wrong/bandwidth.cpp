#include "exercises.h"

#include <algorithm>
#include <chrono>

// answer: counts_the_warm_up
// expect: 1 run and a warm-up are 2 copies; there were 1
// No warm-up: the first copy finds nothing ready.
namespace counts_the_warm_up {
double gb_per_s(std::size_t bytes, double seconds) {
  return static_cast<double>(bytes) / seconds / 1e9;
}

double copy_seconds(const td::Tensor& to, const td::Tensor& from, int runs) {
  const td::Stream stream = td::getCurrentStream(to.is_cpu() ? from.device() : to.device());
  stream.synchronize();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    to.copy_(from, /*non_blocking=*/true);
    stream.synchronize();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    seconds.push_back(taken.count());  // the first one warms up
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}
}  // namespace counts_the_warm_up

// answer: counts_twice
// expect: in GB/s
// Counts bytes read and bytes written.
namespace counts_twice {
double gb_per_s(std::size_t bytes, double seconds) {
  return 2.0 * static_cast<double>(bytes) / seconds / 1e9;
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
  return seconds[seconds.size() / 2];
}
}  // namespace counts_twice

// answer: gibibytes
// expect: 1 GiB in a second, in GB/s
// Divides by 2^30: GiB/s, which is 7 % less.
namespace gibibytes {
double gb_per_s(std::size_t bytes, double seconds) {
  return static_cast<double>(bytes) / seconds / (1 << 30);
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
  return seconds[seconds.size() / 2];
}
}  // namespace gibibytes

// answer: only_the_asking
// expect: 4 MiB from pinned memory at 0.1 GB/s: expected about
// Right for pageable memory. For pinned memory it is the time it takes to ask for the copy.
namespace only_the_asking {
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
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (run > 0) seconds.push_back(taken.count());  // the first one warms up
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}
}  // namespace only_the_asking

// answer: the_fastest
// expect: copies of 20, 150 and 150 ms
// Returns the smallest time.
namespace the_fastest {
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
    if (run > 0) seconds.push_back(taken.count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds.front();
}
}  // namespace the_fastest

// answer: the_mean
// expect: five copies of 20 ms, two of them 400 ms
// One interruption counts as much as all the other runs.
namespace the_mean {
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
  double sum = 0;
  for (const double s : seconds) sum += s;
  return sum / static_cast<double>(seconds.size());
}
}  // namespace the_mean

// answer: the_slowest
// expect: five copies of 20 ms, two of them 400 ms
// One interruption is the result.
namespace the_slowest {
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
}  // namespace the_slowest

// answer: waits_for_the_default_stream
// expect: a stream of sim:1's pool
// Waits for the default stream, whichever is current.
namespace waits_for_the_default_stream {
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
}  // namespace waits_for_the_default_stream

// answer: trims_the_extremes
// expect: five copies of 20 ms, two of them 400 ms
// The mean without the fastest and the slowest run. Right if one run was interrupted.
namespace trims_the_extremes {
double gb_per_s(std::size_t bytes, double seconds) {
  return static_cast<double>(bytes) / seconds / 1e9;
}

double copy_seconds(const td::Tensor& to, const td::Tensor& from, int runs) {
  const td::Stream stream = td::getCurrentStream(to.is_cpu() ? from.device() : to.device());
  std::vector<double> seconds;
  for (int run = 0; run <= runs; ++run) {
    stream.synchronize();
    const auto start = std::chrono::steady_clock::now();
    to.copy_(from, /*non_blocking=*/true);
    stream.synchronize();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (run > 0) seconds.push_back(taken.count());
  }
  std::sort(seconds.begin(), seconds.end());
  const std::ptrdiff_t skip = runs > 2 ? 1 : 0;
  const std::vector<double> rest(seconds.begin() + skip, seconds.end() - skip);
  double sum = 0;
  for (const double one : rest) sum += one;
  return sum / static_cast<double>(rest.size());
}
}  // namespace trims_the_extremes

// answer: counts_the_first_copy
// expect: a copy of 20 ms after a first one of 400 ms: expected about 20 ms, got
// Makes the extra copy, and counts it. Right with many runs.
namespace counts_the_first_copy {
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
    seconds.push_back(taken.count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}
}  // namespace counts_the_first_copy

// answer: all_copies_together
// expect: copies began while the copy before was still running
// Measures all copies together: the result is a mean, and the copies overlap with their launches.
namespace all_copies_together {
double gb_per_s(std::size_t bytes, double seconds) {
  return static_cast<double>(bytes) / seconds * 1e-9;
}

double copy_seconds(const td::Tensor& to, const td::Tensor& from, int runs) {
  const td::Stream stream = td::getCurrentStream(to.is_cpu() ? from.device() : to.device());
  to.detach().copy_(from, /*non_blocking=*/true);
  stream.synchronize();
  const auto begin = std::chrono::steady_clock::now();
  for (int run = 0; run < runs; ++run) to.detach().copy_(from, /*non_blocking=*/true);
  stream.synchronize();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return seconds.count() / runs;
}
}  // namespace all_copies_together
