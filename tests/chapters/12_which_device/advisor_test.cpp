// Tests of advisor. No clock: the machines are functions that answer with seconds, and remember
// what they were asked.
#include <cmath>
#include <sstream>

#include "check.h"
#include "exercises.h"

namespace {

// Devices that take what their lines say, times what `disturbed` makes of the number of the call.
class Machine {
 public:
  using Disturbed = std::function<double(std::size_t call)>;

  explicit Machine(
      std::vector<Cost> costs, Disturbed disturbed = [](std::size_t) { return 1.0; })
      : costs_(std::move(costs)), disturbed_(std::move(disturbed)) {}

  std::vector<Measure> devices() {
    std::vector<Measure> all;
    for (std::size_t d = 0; d < costs_.size(); ++d)
      all.push_back([this, d](std::int64_t size) {
        const double factor = disturbed_(calls_++);
        asked_ << ' ' << static_cast<char>('a' + d) << size;
        return costs_[d].at(static_cast<double>(size)) * factor;
      });
    return all;
  }
  std::size_t calls() const { return calls_; }
  /// " a1 b1 a64 b64": devices are letters.
  std::string asked() const { return asked_.str(); }

 private:
  std::vector<Cost> costs_;
  Disturbed disturbed_;
  std::size_t calls_ = 0;
  std::ostringstream asked_;
};

const Cost kHost{2e-5, 4e-6}, kDevice{3e-4, 1e-6};

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

const char* name(Worth worth) {
  constexpr const char* kNames[] = {"kNever", "kAlways", "kFrom", "kUpTo"};
  return kNames[static_cast<int>(worth)];
}

void expect_crossover(const Cost& host, const Cost& device, Worth worth, double size,
                      const std::string& what) {
  const Crossover found = crossover(host, device, 1, 1000);
  check::expect(found.worth == worth,
                what + ": expected " + name(worth) + ", got " + name(found.worth));
  if (worth == Worth::kFrom || worth == Worth::kUpTo)
    check::expect_close(found.size, size, 1e-6 * size, what + ", the size");
}

}  // namespace

TEST_CASE("devices take turns, and the first round is not counted", "[advisor]") {
  Machine machine({kHost, kDevice}, [](std::size_t call) { return call < 4 ? 50.0 : 1.0; });
  const std::vector<std::int64_t> sizes = {1, 64};
  const auto seconds = time_in_turns(machine.devices(), sizes, 2);
  check::expect(machine.calls() == 12,
                "2 runs and a warm-up of 2 devices at 2 sizes are 12 calls; "
                "there were " +
                    std::to_string(machine.calls()));
  const std::string round = " a1 b1 a64 b64";
  check::expect(machine.asked() == round + round + round,
                "expected three rounds of" + round + ", got" + machine.asked());
  expect_times(seconds, sizes, "after a slow first round");
}

TEST_CASE("one run that was held up does not count", "[advisor]") {
  Machine machine({kHost, kDevice}, [](std::size_t call) { return call % 11 == 7 ? 40.0 : 1.0; });
  const std::vector<std::int64_t> sizes = {1, 31, 1023};
  expect_times(time_in_turns(machine.devices(), sizes, 5), sizes, "with a slow call now and then");
}

TEST_CASE("a machine that is busy for a while is busy for all", "[advisor]") {
  // The last two of six rounds run at a third of the speed.
  Machine machine({kHost, kDevice}, [](std::size_t call) { return call >= 24 ? 3.0 : 1.0; });
  const std::vector<std::int64_t> sizes = {1, 16, 256};
  expect_times(time_in_turns(machine.devices(), sizes, 5), sizes, "busy towards the end");
}

TEST_CASE("two points lie on one line", "[advisor]") {
  expect_cost(fit_cost({1, 100}, {0.011, 0.110}), {0.010, 0.001}, "the example");
  expect_cost(fit_cost({4096, 1}, {kDevice.at(4096), kDevice.at(1)}), kDevice,
              "large before small");
  expect_cost(fit_cost({1, 4, 16, 64, 256}, std::vector<double>(5, 2e-4)), {2e-4, 0},
              "all sizes take the same time");
}

TEST_CASE("ten percent count the same at every size", "[advisor]") {
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
  for (const double fixed : {0.99, 1.0, 1.01})
    for (const double per_sample : {0.99, 1.0, 1.01}) {
      const Cost other{cost.fixed * fixed, cost.per_sample * per_sample};
      check::expect(relative_errors(other, sizes, seconds) >= least,
                    "another line has smaller relative errors");
    }
}

TEST_CASE("a device with a high fixed cost is worth it from a size on", "[advisor]") {
  expect_crossover({1e-5, 3e-6}, {2e-4, 1e-6}, Worth::kFrom, 95, "the example");
  expect_crossover({2e-4, 1e-6}, {1e-5, 3e-6}, Worth::kUpTo, 95, "the example, host for device");
  expect_crossover({0, 1e-6}, {1e-6, 0}, Worth::kFrom, 1, "equal at the first size, then faster");
  expect_crossover({1e-6, 0}, {0, 1e-6}, Worth::kNever, 0, "equal at the first size, then slower");
}

TEST_CASE("lines that do not cross where it counts", "[advisor]") {
  expect_crossover({1e-5, 3e-6}, {2e-5, 3e-6}, Worth::kNever, 0, "parallel, the device slower");
  expect_crossover({2e-5, 3e-6}, {1e-5, 3e-6}, Worth::kAlways, 0, "parallel, the device faster");
  expect_crossover({1e-5, 3e-6}, {1e-5, 3e-6}, Worth::kNever, 0, "the same line");
  expect_crossover({1e-5, 1e-6}, {2e-5, 2e-6}, Worth::kNever, 0, "a crossing at a negative size");
  expect_crossover({2e-5, 2e-6}, {1e-5, 1e-6}, Worth::kAlways, 0,
                   "the same, with the device ahead");
  expect_crossover({1e-5, 3e-6}, {5e-2, 1e-6}, Worth::kNever, 0, "a crossing behind the last size");
  expect_crossover({1e-5, 3e-6}, {1.1e-5, 1e-6}, Worth::kAlways, 0, "a crossing before the first");
}
