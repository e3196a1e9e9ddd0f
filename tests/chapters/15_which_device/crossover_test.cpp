// Tests of fit_cost and crossover.
#include <cmath>

#include "machine.h"

namespace {

double relative_errors(const Cost& cost, const std::vector<std::int64_t>& sizes,
                       const std::vector<double>& seconds) {
  double sum = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double error = cost.at(static_cast<double>(sizes[i])) / seconds[i] - 1;
    sum += error * error;
  }
  return sum;
}

void expect_cost(const Cost& cost, const Cost& expected, const std::string& what) {
  check::expect_close(1e6 * cost.fixed, 1e6 * expected.fixed, 1e-6,
                      what + ", fixed, in microseconds");
  check::expect_close(1e6 * cost.per_sample, 1e6 * expected.per_sample, 1e-6,
                      what + ", per sample, in microseconds");
}

const char* name(Advantage advantage) {
  constexpr const char* kNames[] = {"kNever", "kAlways", "kFrom", "kUpTo"};
  return kNames[static_cast<int>(advantage)];
}

void expect_crossover(const Cost& host, const Cost& device, Advantage advantage, double size,
                      const std::string& what, double from = 1, double to = 1000) {
  const Crossover found = crossover(host, device, from, to);
  check::expect(found.advantage == advantage,
                what + ": expected " + name(advantage) + ", got " + name(found.advantage));
  if (advantage == Advantage::kFrom || advantage == Advantage::kUpTo)
    check::expect_close(found.size, size, 1e-6 * size, what + ", the size");
}

}  // namespace

TEST_CASE("two points lie on one line", "[crossover]") {
  expect_cost(fit_cost({1, 100}, {0.011, 0.110}), {0.010, 0.001}, "the example");
  expect_cost(fit_cost({4096, 1}, {kDevice.at(4096), kDevice.at(1)}), kDevice,
              "large before small");
  expect_cost(fit_cost({1, 4, 16, 64, 256}, std::vector<double>(5, 2e-4)), {2e-4, 0},
              "all sizes take the same time");
}

TEST_CASE("ten percent count the same at every size", "[crossover]") {
  const std::vector<std::int64_t> sizes = {1, 4, 16, 64, 256, 1024, 4096};
  const std::vector<double> off = {1.02, 0.97, 1.05, 0.94, 1.03, 1.1, 0.9};
  std::vector<double> seconds;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    seconds.push_back(off[i] * kHost.at(static_cast<double>(sizes[i])));
  const Cost cost = fit_cost(sizes, seconds);
  std::ostringstream text;
  text << "a fixed cost of 20 us, and times that are up to 10 % off: expected 18 to 22 us, got "
       << 1e6 * cost.fixed << " us";
  check::expect(std::abs(cost.fixed / kHost.fixed - 1) < 0.1, text.str());
  const double least = relative_errors(cost, sizes, seconds);
  for (const double fixed : {0.99, 0.9999, 1.0, 1.0001, 1.01})
    for (const double per_sample : {0.99, 0.9999, 1.0, 1.0001, 1.01}) {
      const Cost other{cost.fixed * fixed, cost.per_sample * per_sample};
      std::ostringstream smaller;
      smaller << "the squares of the relative errors have the sum " << least << " for "
              << 1e6 * cost.fixed << " us and " << 1e6 * cost.per_sample
              << " us per sample, and a smaller one for " << 1e6 * other.fixed << " us and "
              << 1e6 * other.per_sample
              << " us per sample: divide each error by the seconds that were measured";
      check::expect(relative_errors(other, sizes, seconds) >= least, smaller.str());
    }
}

TEST_CASE("a device with a high fixed cost is faster from some size on", "[crossover]") {
  expect_crossover({1e-5, 3e-6}, {2e-4, 1e-6}, Advantage::kFrom, 95, "the example");
  expect_crossover({2e-4, 1e-6}, {1e-5, 3e-6}, Advantage::kUpTo, 95,
                   "the example, host for device");
  expect_crossover({0, 1e-6}, {1e-6, 0}, Advantage::kFrom, 1,
                   "equal at the first size, then faster");
  expect_crossover({1e-6, 0}, {0, 1e-6}, Advantage::kNever, 0,
                   "equal at the first size, then slower");
}

TEST_CASE("lines that do not cross within the sizes", "[crossover]") {
  expect_crossover({1e-5, 3e-6}, {2e-5, 3e-6}, Advantage::kNever, 0, "parallel, the device slower");
  expect_crossover({2e-5, 3e-6}, {1e-5, 3e-6}, Advantage::kAlways, 0,
                   "parallel, the device faster");
  expect_crossover({1e-5, 3e-6}, {1e-5, 3e-6}, Advantage::kNever, 0, "the same line");
  expect_crossover({1e-5, 1e-6}, {2e-5, 2e-6}, Advantage::kNever, 0,
                   "a crossing at a negative size");
  expect_crossover({2e-5, 2e-6}, {1e-5, 1e-6}, Advantage::kAlways, 0,
                   "the same, with the device ahead");
  expect_crossover({1e-5, 3e-6}, {5e-2, 1e-6}, Advantage::kNever, 0,
                   "a crossing after the last size");
  expect_crossover({1e-5, 3e-6}, {1.1e-5, 1e-6}, Advantage::kAlways, 0,
                   "a crossing before the first");
}

TEST_CASE("large numbers of samples and tiny times lose no digits", "[crossover]") {
  const Cost tiny{3e-9, 2e-12};
  expect_cost(fit_cost({1000000, 2000000, 4000000}, {tiny.at(1e6), tiny.at(2e6), tiny.at(4e6)}),
              tiny, "nanoseconds at millions of samples");
  expect_cost(fit_cost({7, 7, 9}, {kHost.at(7), kHost.at(7), kHost.at(9)}), kHost,
              "a size that was measured twice");
}

TEST_CASE("lines that differ by less than a nanosecond", "[crossover]") {
  expect_crossover({1e-10, 3e-12}, {3e-10, 1e-12}, Advantage::kFrom, 100,
                   "a host of 0.1 ns and 3 ps per sample, a device of 0.3 ns and 1 ps");
  expect_crossover({2e-5 + 1e-10, 3e-6}, {2e-5, 3e-6}, Advantage::kAlways, 0,
                   "parallel, the device 0.1 ns faster");
}

TEST_CASE("a crossing exactly at an end of the range", "[crossover]") {
  expect_crossover({0, 2e-6}, {1e-3, 1e-6}, Advantage::kNever, 0, "equal at the last size");
  expect_crossover({1e-3, 1e-6}, {0, 2e-6}, Advantage::kUpTo, 1000, "faster up to the last size");
}

TEST_CASE("a line may begin below 0, or fall", "[crossover]") {
  expect_cost(fit_cost({10, 20}, {0.01, 0.03}), {-0.01, 0.002}, "10 ms at 10 and 30 ms at 20");
  expect_cost(fit_cost({1, 101}, {0.2, 0.1}), {0.201, -0.001}, "200 ms at 1 and 100 ms at 101");
  expect_crossover({-1e-5, 3e-6}, {2e-4, 1e-6}, Advantage::kFrom, 105,
                   "a host whose fixed cost is negative");
}

TEST_CASE("a crossing between two integers, and another range", "[crossover]") {
  expect_crossover({1e-5, 3e-6}, {1.992e-4, 1e-6}, Advantage::kFrom, 94.6, "a crossing at 94.6");
  expect_crossover({1.992e-4, 1e-6}, {1e-5, 3e-6}, Advantage::kUpTo, 94.6,
                   "a crossing at 94.6, host for device");
  expect_crossover({1e-5, 3e-6}, {1.04e-5, 1e-6}, Advantage::kFrom, 0.2,
                   "a crossing at 0.2, between 0 and 1", 0, 1);
  expect_crossover({1e-5, 3e-6}, {2e-4, 1e-6}, Advantage::kAlways, 0,
                   "a crossing at 95, between 100 and 4096", 100, 4096);
  expect_crossover({1e-5, 3e-6}, {2e-4, 1e-6}, Advantage::kNever, 0,
                   "a crossing at 95, between 1 and 64", 1, 64);
  expect_crossover({0, 2e-6}, {1, 1e-6}, Advantage::kFrom, 1e6,
                   "a crossing at a million, between 1000 and 4 million", 1000, 4e6);
}
