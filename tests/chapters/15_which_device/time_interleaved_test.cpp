// Tests of time_interleaved: devices are functions that return made-up seconds.
#include <algorithm>
#include <cmath>

#include "machine.h"

namespace {

void expect_times(const std::vector<std::vector<double>>& seconds,
                  const std::vector<std::int64_t>& sizes, const std::string& what) {
  const std::vector<Cost> costs = {kHost, kDevice};
  check::expect(seconds.size() == 2,
                what + ": expected the times of 2 devices, got " + std::to_string(seconds.size()));
  for (std::size_t d = 0; d < costs.size(); ++d) {
    std::vector<double> expected;
    for (const std::int64_t size : sizes)
      expected.push_back(1e6 * costs[d].at(static_cast<double>(size)));
    std::vector<double> got = seconds[d];
    for (double& s : got) s *= 1e6;
    check::expect_close(got, expected, 1e-6,
                        what + ", microseconds of device " + std::to_string(d));
  }
}

}  // namespace

TEST_CASE("the rounds are interleaved, and the first one is not counted", "[time_interleaved]") {
  Machine machine(std::vector<Cost>{kHost, kDevice},
                  [](std::size_t call) { return call < 4 ? 50.0 : 1.0; });
  const std::vector<std::int64_t> sizes = {1, 64};
  const auto seconds = time_interleaved(machine.devices(), sizes, 2);
  check::expect(machine.calls() == 12,
                "2 runs and a warm-up of 2 devices at 2 sizes are 12 calls; "
                "there were " +
                    std::to_string(machine.calls()));
  const std::string round = " a1 b1 a64 b64";
  check::expect(machine.measured() == round + round + round,
                "expected three rounds of" + round + ", got" + machine.measured());
  expect_times(seconds, sizes, "after a slow first round");
}

TEST_CASE("one run that was disturbed does not count", "[time_interleaved]") {
  for (const double factor : {40.0, 0.01}) {
    Machine machine(std::vector<Cost>{kHost, kDevice},
                    [factor](std::size_t call) { return call % 11 == 7 ? factor : 1.0; });
    const std::vector<std::int64_t> sizes = {1, 31, 1023};
    expect_times(
        time_interleaved(machine.devices(), sizes, 5), sizes,
        factor > 1 ? "with a slow call now and then" : "with a call that is too fast now and then");
  }
}

TEST_CASE("a machine that is busy for a while delays all devices alike", "[time_interleaved]") {
  // The last two of six rounds run at a third of the speed.
  Machine machine(std::vector<Cost>{kHost, kDevice},
                  [](std::size_t call) { return call >= 24 ? 3.0 : 1.0; });
  const std::vector<std::int64_t> sizes = {1, 16, 256};
  expect_times(time_interleaved(machine.devices(), sizes, 5), sizes, "busy towards the end");
}

TEST_CASE("one run, one device, and an even number of runs", "[time_interleaved]") {
  for (const int runs : {1, 2, 4}) {
    Machine machine(std::vector<Cost>{kHost},
                    [](std::size_t call) { return call == 0 ? 9.0 : 1.0; });
    const auto seconds = time_interleaved(machine.devices(), {31}, runs);
    check::expect(machine.calls() == static_cast<std::size_t>(runs) + 1,
                  std::to_string(runs) + (runs == 1 ? " run" : " runs") +
                      " and a warm-up of one device at one size are " + std::to_string(runs + 1) +
                      " calls; there were " + std::to_string(machine.calls()));
    check::expect(seconds.size() == 1 && seconds[0].size() == 1,
                  "one device at one size: expected one number");
    check::expect_close(1e6 * seconds[0][0], 1e6 * kHost.at(31), 1e-6,
                        "microseconds of the only device, with " + std::to_string(runs) +
                            (runs == 1 ? " run" : " runs"));
  }
}

TEST_CASE("three devices at sizes that do not ascend", "[time_interleaved]") {
  Machine machine({{1e-3, 1e-6}, {2e-3, 2e-6}, {3e-3, 3e-6}});
  const std::vector<std::int64_t> sizes = {64, 1, 64};
  const auto seconds = time_interleaved(machine.devices(), sizes, 3);
  check::expect(seconds.size() == 3,
                "expected the times of 3 devices, got " + std::to_string(seconds.size()));
  for (std::size_t d = 0; d < 3; ++d) {
    const double factor = static_cast<double>(d + 1);
    check::expect_close(
        seconds[d], std::vector<double>{factor * 1.064e-3, factor * 1.001e-3, factor * 1.064e-3},
        1e-12, "seconds of device " + std::to_string(d) + " at sizes 64, 1, 64");
  }
}

TEST_CASE("the median of runs that all differ", "[time_interleaved]") {
  // The first factor is the warm-up. The other ones are far apart, so no other average comes near.
  const std::vector<std::vector<double>> of_runs = {{99, 64, 1},
                                                    {99, 8, 1, 2},
                                                    {99, 64, 1, 8, 2},
                                                    {99, 2, 64, 1, 32, 4},
                                                    {99, 1, 16, 2, 128, 4, 64}};
  for (const std::vector<double>& factors : of_runs) {
    const int runs = static_cast<int>(factors.size()) - 1;
    Machine machine(std::vector<Cost>{kHost, kDevice},
                    [&](std::size_t call) { return factors.at(call / 2); });
    const auto seconds = time_interleaved(machine.devices(), {100}, runs);
    std::vector<double> sorted(factors.begin() + 1, factors.end());
    std::sort(sorted.begin(), sorted.end());
    const double low = sorted[(sorted.size() - 1) / 2], high = sorted[sorted.size() / 2];
    for (std::size_t d = 0; d < 2; ++d) {
      const double got = seconds.at(d).at(0) / (d == 0 ? kHost : kDevice).at(100);
      std::ostringstream text;
      text << runs << " runs of device " << d << " that take 1 to " << sorted.back()
           << " units: expected the median, ";
      if (low == high)
        text << low;
      else
        text << low << " or " << high << " or their mean";
      text << ", got " << got;
      const bool is_one = std::abs(got / low - 1) < 1e-9 || std::abs(got / high - 1) < 1e-9 ||
                          std::abs(got * 2 / (low + high) - 1) < 1e-9;
      check::expect(is_one, text.str());
    }
  }
}
