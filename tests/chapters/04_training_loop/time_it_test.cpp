// Tests of time_it. Work of known length: a stream of sim that sleeps. The tests distinguish only
// lengths that differ by a factor, so that a right answer passes on a busy machine, too.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>
#include <thread>

#include "loops.h"
#include "td/device/backend.h"

namespace {

struct Sleep {
  double seconds;
  void operator()() const { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }
};

// Work that takes `seconds` on the device: queued on sim, done at once on cpu.
void busy(td::Device device, double seconds) {
  if (device.is_cpu()) return Sleep{seconds}();
  td::Record record("sleep");
  record.set_work(Sleep{seconds});
  td::backend(device.type()).submit(record, device.index(), td::getCurrentStream(device).native());
}

void expect_about(double seconds, double expected, const std::string& what) {
  std::ostringstream text;
  text << what << ": expected about " << expected * 1e3 << " ms, got " << seconds * 1e3 << " ms";
  check::expect(seconds >= 0.9 * expected && seconds <= 2.5 * expected + 0.02, text.str());
}

}  // namespace

TEST_CASE("the device's time is measured, not the host's", "[time_it]") {
  for (const td::Device device : {td::Device("cpu"), td::Device("sim:0"), td::Device("sim:1")})
    expect_about(time_it([&] { busy(device, 0.04); }, device, 2), 0.04,
                 "work of 40 ms on " + device.str());
}

TEST_CASE("work that was queued before is not part of the time", "[time_it]") {
  const td::Device device("sim:0");
  int calls = 0;
  const double seconds = time_it([&] { busy(device, calls++ == 0 ? 0.25 : 0.05); }, device, 1);
  expect_about(seconds, 0.05, "one run of 50 ms after a warm-up of 250 ms on sim:0");
  const td::Stream stream = td::getStreamFromPool(device);
  calls = 0;
  const double other = time_it(
      [&] {
        const td::StreamGuard guard(stream);
        busy(device, calls++ == 0 ? 0.25 : 0.05);
      },
      device, 1);
  expect_about(other, 0.05,
               "one run of 50 ms after a warm-up of 250 ms, on a stream of sim:0 that is not the "
               "current one");
}

TEST_CASE("the first call warms up and is not counted", "[time_it]") {
  int calls = 0;
  const double seconds = time_it([&] { busy("cpu", calls++ == 0 ? 0.2 : 0.02); }, "cpu", 3);
  check::expect(calls == 4,
                "3 runs and a warm-up are 4 calls; there were " + std::to_string(calls));
  expect_about(seconds, 0.02, "runs of 20 ms after a warm-up of 200 ms");
  for (const int runs : {1, 2}) {
    calls = 0;
    time_it([&] { ++calls; }, "cpu", runs);
    check::expect(calls == runs + 1, "runs = " + std::to_string(runs) + ": with the warm-up, " +
                                         std::to_string(runs + 1) + " calls were expected; there " +
                                         "were " + std::to_string(calls));
  }
}

TEST_CASE("the time has fractions of a millisecond", "[time_it]") {
  double ms = 0;
  bool whole = true;  // whatever the machine does, five times are not all integers
  for (int i = 0; i < 5; ++i) {
    ms = 1000 * time_it([] { busy("cpu", 0.0004); }, "cpu", 3);
    whole = whole && std::abs(ms - std::round(ms)) < 1e-7;
  }
  check::expect(!whole, "five times of short runs are whole milliseconds, the last one " +
                            std::to_string(ms) + " ms: keep the fraction");
}

TEST_CASE("work on another stream is waited for", "[time_it]") {
  const td::Device device("sim:0");
  const td::Stream stream = td::getStreamFromPool(device);
  const double seconds = time_it(
      [&] {
        const td::StreamGuard guard(stream);
        busy(device, 0.04);
      },
      device, 3);
  expect_about(seconds, 0.04, "work of 40 ms on a stream that is not the current one");
}

TEST_CASE("the median counts, not the fastest run and not the run in the middle", "[time_it]") {
  for (const int odd_one : {1, 3, 5}) {
    int calls = 0;
    const double fast = time_it([&] { busy("cpu", calls++ == odd_one ? 0.001 : 0.02); }, "cpu", 5);
    expect_about(fast, 0.02, "five runs of 20 ms, one of them of 1 ms");
  }
  int calls = 0;
  const double slow = time_it([&] { busy("cpu", calls++ == 3 ? 0.2 : 0.02); }, "cpu", 5);
  expect_about(slow, 0.02, "five runs of 20 ms, the third one held up for 200 ms");
}

TEST_CASE("the median is the run in the middle of the sorted ones", "[time_it]") {
  const double seconds[] = {0, 0.15, 0.001, 0.16, 0.04, 0.01};  // the first one is the warm-up
  int calls = 0;
  const double median = time_it([&] { busy("cpu", seconds[calls++]); }, "cpu", 5);
  expect_about(median, 0.04, "runs of 150, 1, 160, 40 and 10 ms");
}

TEST_CASE("one interrupted run does not change the result", "[time_it]") {
  int calls = 0;
  const double seconds = time_it([&] { busy("cpu", calls++ == 2 ? 0.35 : 0.02); }, "cpu", 5);
  expect_about(seconds, 0.02, "five runs of 20 ms, one of them held up for 350 ms");
}
