// Tests of early_return: what the device had done each time the clock was read. The clock is one of
// the test, and the work ends after the second reading at the earliest, so no verdict depends on
// the speed of the machine.
#include <atomic>
#include <chrono>
#include <thread>

#include "check_devices.h"
#include "exercises.h"
#include "td/device/backend.h"
#include "td/device/record.h"
#include "td/device/stream.h"

namespace {

/// How long work waits for its gate before it gives up: an answer that waits too early must not
/// hang. After one gate has given up, the answer is wrong, and the others need not be patient.
std::atomic<int> patience_ms{2000};

/// Work of a sim stream: it begins when the gate opens, and then takes some time.
struct Gated {
  const std::atomic<bool>* open;
  std::atomic<int>* done;
  int ms;
  void operator()() const {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::milliseconds(patience_ms);
    while (!*open && Clock::now() < until)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    if (!*open) patience_ms = 20;
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    ++*done;
  }
};

/// Work on the streams of a device, which ends before this object does.
class Work {
 public:
  explicit Work(td::Device device) : device_(device) {}
  ~Work() {
    open();
    td::synchronize(device_);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  void start(const td::Stream& stream, int ms = 60) {
    td::Record record("gated");
    record.set_work(Gated{&open_, &done_, ms});
    td::backend(td::kSIM).submit(record, stream.device().index(), stream.native());
    ++started_;
  }
  void open() { open_ = true; }
  int unfinished() const { return started_ - done_; }

 private:
  td::Device device_;
  int started_ = 0;
  std::atomic<bool> open_{false};
  std::atomic<int> done_{0};
};

/// What was found each time the clock was read.
struct Reading {
  int calls;       ///< of the work so far
  int earlier;     ///< pieces of work from before the measurement that the device still had
  int unfinished;  ///< pieces of the measured work that the device still had
};

/// Measures work on two streams of a sim device, with a clock that looks at the device.
struct Watched {
  /// @param named what the exercise gets: `device`, or its kind alone.
  explicit Watched(td::Device device, td::Device named, bool has_earlier_work = false) {
    const td::Stream pool = td::getStreamFromPool(device);
    Work earlier(device), work(device);
    earlier.open();
    if (has_earlier_work) earlier.start(pool);
    constexpr double kClock[] = {100, 103, 121, 150};
    result = time_launch(
        named,
        [&] {
          ++calls;
          current_in_work = td::current_device(td::kSIM);
          work.start(td::getDefaultStream(device), 1);  // done long before the other stream
          work.start(pool);
        },
        [&] {
          readings.push_back({calls, earlier.unfinished(), work.unfinished()});
          if (calls > 0) work.open();
          return kClock[std::min<std::size_t>(readings.size() - 1, 3)];
        });
  }

  LaunchTimes result{};
  int calls = 0, current_in_work = -1;
  std::vector<Reading> readings;
};

std::string times(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " time" : " times");
}

void expect_right(const Watched& watched, const std::string& what) {
  const auto& readings = watched.readings;
  check::expect(watched.calls == 1, what + ": the work should be launched once; it was launched " +
                                        times(static_cast<std::size_t>(watched.calls)));
  check::expect(readings.size() == 3,
                what + ": the clock should be read 3 times; it was read " + times(readings.size()));
  check::expect(readings[0].calls == 0 && readings[1].calls == 1,
                what + ": the clock should be read before the launch, after it, and at the end");
  check::expect(readings[1].unfinished == 2,
                what +
                    ": the second reading of the clock came after the work, which is not the "
                    "time at which the launch returned");
  check::expect(readings[2].unfinished == 0,
                what + ": the clock was read for the last time while the device was still working");
  check::expect_close(watched.result.returned, 3, 1e-9,
                      what + ", `returned`, for a clock that shows 100, 103 and 121");
  check::expect_close(watched.result.done, 21, 1e-9,
                      what + ", `done`, for a clock that shows 100, 103 and 121");
}

}  // namespace

TEST_CASE("the launch returns while the device still has the work", "[early_return]") {
  expect_right(Watched("sim:0", "sim:0"), "work on sim:0");
}

TEST_CASE("what the device did before is in neither time", "[early_return]") {
  const Watched watched("sim:0", "sim:0", true);
  expect_right(watched, "work on sim:0, which had earlier work");
  check::expect(watched.readings[0].earlier == 0,
                "the clock was read for the first time while the device still had earlier work");
}

TEST_CASE("every device is measured, current or not", "[early_return]") {
  const int devices = std::min(2, td::device_count(td::kSIM));
  for (int current = 0; current < devices; ++current)
    for (int index = 0; index < devices; ++index) {
      const td::DeviceGuard guard(td::Device(td::kSIM, current));
      const td::Device device(td::kSIM, index);
      const std::string where =
          "work on " + device.str() + " while sim:" + std::to_string(current) + " is current";
      const Watched watched(device, index == current ? td::Device(td::kSIM) : device);
      expect_right(watched, where);
      check::expect(td::current_device(td::kSIM) == current,
                    where + ": another device is current afterwards");
      check::expect(watched.current_in_work == current,
                    where + ": in `work`, sim:" + std::to_string(watched.current_in_work) +
                        " was current; td::synchronize(device) needs no guard");
    }
}

TEST_CASE("the host waits for the measured device only", "[early_return]") {
  if (td::device_count(td::kSIM) < 2) check::skip("needs two sim devices: TD_SIM_DEVICES=2");
  Work other("sim:1");
  other.start(td::getDefaultStream("sim:1"));
  expect_right(Watched("sim:0", "sim:0"), "work on sim:0 while sim:1 is busy");
  check::expect(other.unfinished() == 1, "work on sim:0: the host waited for sim:1, too");
}

TEST_CASE("on the cpu the work is done when the call returns", "[early_return]") {
  double now = 10;
  const LaunchTimes cpu = time_launch(
      "cpu", [&] { now += 7; }, [&] { return now; });
  check::expect_close(std::vector<double>{cpu.returned, cpu.done}, std::vector<double>{7, 7}, 1e-9,
                      "`returned` and `done` of work of 7 ms on the cpu");
}
