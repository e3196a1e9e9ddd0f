// Tests of fit_link, predict_seconds and half_bandwidth_bytes: times with known answers, with
// noise, and of sim's link, whose latency and bandwidth the test sets.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>

#include "exercises.h"
#include "streams.h"

namespace {

using Sizes = std::vector<std::int64_t>;

const LinkCost kPcie{1e-5, 1.2e10};

std::string text(double latency, double bandwidth) {
  std::ostringstream out;
  out.precision(9);  // so that a small difference can be seen
  out << 1e6 * latency << " us and " << 1e-9 * bandwidth << " GB/s";
  return out.str();
}

/// The times of copies over a link without noise.
std::vector<double> times_of(const LinkCost& link, const Sizes& sizes) {
  std::vector<double> seconds;
  for (const auto size : sizes)
    seconds.push_back(link.latency + static_cast<double>(size) / link.bandwidth);
  return seconds;
}

bool nearly(double actual, double expected, double unit) {
  return std::abs(actual - expected) <= 1e-6 * std::max(std::abs(expected), unit);
}

void expect_link(const LinkCost& got, const LinkCost& expected, const std::string& what) {
  check::expect(
      nearly(got.latency, expected.latency, 1e-6) && nearly(got.bandwidth, expected.bandwidth, 1),
      what + ": expected " + text(expected.latency, expected.bandwidth) + ", got " +
          text(got.latency, got.bandwidth));
}

void expect_exact(const LinkCost& link, const Sizes& sizes, const std::string& what) {
  expect_link(fit_link(sizes, times_of(link, sizes)), link, what);
}

/// The line with the smallest sum of squared errors, by Cramer's rule.
LinkCost least_squares(const Sizes& sizes, const std::vector<double>& seconds) {
  long double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const long double size = static_cast<long double>(sizes[i]), time = seconds[i];
    n += 1, x += size, y += time, xx += size * size, xy += size * time;
  }
  const long double determinant = n * xx - x * x;
  return {static_cast<double>((y * xx - x * xy) / determinant),
          static_cast<double>(determinant / (n * xy - x * y))};
}

/// Times in which each copy is off by its own percentage.
std::vector<double> noisy(const LinkCost& link, const Sizes& sizes) {
  constexpr double kOff[] = {1.02, 0.97, 1.05, 0.94, 1.03, 1.1, 0.9, 1.01};
  std::vector<double> seconds = times_of(link, sizes);
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] *= kOff[i % 8];
  return seconds;
}

/// The fastest of three copies to sim:0, in seconds.
double measured_seconds(std::int64_t bytes) {
  const auto host = td::ones({bytes / 4}), there = td::empty({bytes / 4}, td::Device("sim:0"));
  double best = 1e9;
  for (int run = 0; run < 3; ++run) {
    const auto start = std::chrono::steady_clock::now();
    there.copy_(host);  // blocks until the copy has finished
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

}  // namespace

TEST_CASE("times without noise lie on the line", "[fit_link]") {
  expect_link(fit_link({0, 12000000}, {1e-5, 1.01e-3}), kPcie, "the example");
  for (const LinkCost& link : {kPcie, LinkCost{1e-4, 3e9}, LinkCost{2e-6, 4.5e11}}) {
    const std::string what = "a link of " + text(link.latency, link.bandwidth);
    expect_exact(link, {4, 124, 132, 4092, 65536, 1000003}, what + ", odd sizes");
    expect_exact(link, {1048576, 4096, 262144, 16384, 65536}, what + ", sizes in any order");
    expect_exact(link, {4096, 4096, 4096, 1048576}, what + ", a size that was measured 3 times");
  }
  expect_exact({0, 1.2e10}, {4096, 65536, 1048576}, "a link without latency");
}

TEST_CASE("large copies lose no digits", "[fit_link]") {
  expect_exact({1e-3, 2e10}, {1000000000, 3000000000, 5000000000, 9000000000},
               "copies of up to 9 GB");
}

TEST_CASE("of noisy times, the squared errors have the smallest sum", "[fit_link]") {
  for (const Sizes& sizes : {Sizes{4096, 16384, 65536, 131072, 262144, 524288, 786432, 1048576},
                             Sizes{1048576, 1000, 300000}, Sizes{0, 0, 0, 500000, 500000}}) {
    const auto seconds = noisy(kPcie, sizes);
    expect_link(fit_link(sizes, seconds), least_squares(sizes, seconds),
                std::to_string(sizes.size()) + " noisy times");
  }
}

TEST_CASE("a latency below zero is returned as it is", "[fit_link]") {
  expect_link(fit_link({1000000, 2000000}, {1e-4, 3e-4}), {-1e-4, 5e9},
              "1 MB in 100 us and 2 MB in 300 us");
}

TEST_CASE("the time of another size is predicted", "[fit_link]") {
  const auto expect_time = [](const LinkCost& link, double bytes, double expected) {
    const double us = 1e6 * expected;
    std::ostringstream size;
    size << bytes;
    check::expect_close(
        1e6 * predict_seconds(link, bytes), us, 1e-6 * us,
        "the microseconds of " + size.str() + " bytes with " + text(link.latency, link.bandwidth));
  };
  expect_time(kPcie, 0, 1e-5);
  expect_time(kPcie, 120, 1.001e-5);
  expect_time(kPcie, 120000, 2e-5);
  expect_time(kPcie, 12e9, 1.00001);
  expect_time({1e-4, 3e9}, 300000, 2e-4);
  expect_time({0, 2e9}, 1000, 5e-7);
  expect_time({1e-5, 1e6}, 2.5, 1.25e-5);  // half_bandwidth_bytes may give such a size
}

TEST_CASE("at half of the bandwidth, latency and bytes take equally long", "[fit_link]") {
  const auto expect_size = [](const LinkCost& link, double expected) {
    check::expect_close(
        half_bandwidth_bytes(link), expected, 1e-9 * expected + 1e-9,
        "the bytes with half of the bandwidth, with " + text(link.latency, link.bandwidth));
  };
  expect_size(kPcie, 120000);
  expect_size({1e-4, 3e9}, 300000);
  expect_size({2e-6, 4.5e11}, 900000);
  expect_size({0, 1.2e10}, 0);
  expect_size({1e-5, 1.23456e5}, 1.23456);
}

TEST_CASE("the link of sim is found from measured copies", "[fit_link]") {
  const td::sim::Link before = td::sim::link();
  td::sim::set_link({.gb_per_s = 0.01, .latency_us = 20000});
  const Sizes sizes = {100000, 200000, 300000, 400000};
  std::vector<double> seconds;
  for (const auto size : sizes) seconds.push_back(measured_seconds(size));
  td::sim::set_link(before);
  const LinkCost got = fit_link(sizes, seconds);
  check::expect(
      got.latency > 0.014 && got.latency < 0.035 && got.bandwidth > 6e6 && got.bandwidth < 1.6e7,
      "sim has a link of 20000 us and 0.01 GB/s; from measured copies, fit_link found " +
          text(got.latency, got.bandwidth));
}
