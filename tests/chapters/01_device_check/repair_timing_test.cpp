// Tests of repair_timing: what was done and what had finished when the clock was read. The clock is
// one of the test, so no verdict depends on the speed of the machine.
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "check_devices.h"
#include "exercises.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "td/device/record.h"
#include "td/device/stream.h"

namespace {

/// Work of 60 ms on a sim stream, which counts when it is done.
struct Slow {
  std::atomic<int>* done;
  void operator()() const {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    ++*done;
  }
};

void start_slow(const td::Stream& stream, std::atomic<int>* done) {
  td::Record record("slow");
  record.set_work(Slow{done});
  td::backend(td::kSIM).submit(record, stream.device().index(), stream.native());
}

/// What was found each time the clock was read.
struct Reading {
  int calls = 0;       ///< of the work so far
  int unfinished = 0;  ///< pieces of work that the device still had
};

/// Measures slow work on a device, with a clock that looks at the device.
class Watched {
 public:
  /// @param earlier whether the device has other work when the measurement begins.
  Watched(td::Device device, td::Device named, int runs, bool earlier) {
    const td::Stream pool = td::getStreamFromPool(device);
    int submitted = 0, calls = 0;
    const auto start = [&](const td::Stream& stream) {
      start_slow(stream, &done_);
      ++submitted;
    };
    if (earlier) start(pool);
    result = measure(
        named, runs, [&] { start(++calls % 2 == 0 ? pool : td::getDefaultStream(device)); },
        [&] {
          readings.push_back({calls, submitted - done_});
          return readings.size() == 1 ? 100.0 : 121.0;
        });
    td::synchronize(device);
    all_calls = calls;
  }

  Measurement result{};
  std::vector<Reading> readings;
  int all_calls = 0;

 private:
  std::atomic<int> done_{0};
};

void expect_two_readings(const Watched& watched) {
  check::expect(watched.readings.size() == 2, "the clock should be read twice; it was read " +
                                                  std::to_string(watched.readings.size()) +
                                                  " times");
}

/// Memory of a device like that of a tensor, until the end of the scope.
class Live {
 public:
  Live(td::Device device, std::size_t bytes)
      : device_(device), bytes_(bytes), data_(td::allocator(device).allocate(bytes)) {}
  ~Live() { td::allocator(device_).release(data_, bytes_); }
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

 private:
  td::Device device_;
  std::size_t bytes_;
  void* data_;
};

/// The devices with an accelerator's memory, each with a name for the message.
std::vector<td::Device> accelerators() {
  std::vector<td::Device> found;
  for (const td::Device device : check::devices())
    if (!device.is_cpu()) found.push_back(device);
  return found;
}

}  // namespace

TEST_CASE("the work has finished when the clock is read last", "[repair_timing]") {
  const Watched watched("sim:0", "sim:0", 3, false);
  expect_two_readings(watched);
  check::expect(watched.readings[1].unfinished == 0,
                "the clock was read while " + std::to_string(watched.readings[1].unfinished) +
                    " pieces of the work were still running: this is the time of the launches");
}

TEST_CASE("a warm-up comes first, and has finished when the clock starts", "[repair_timing]") {
  for (const int runs : {1, 2}) {
    const Watched watched("sim:0", "sim:0", runs, false);
    expect_two_readings(watched);
    check::expect(watched.readings[0].calls >= 1,
                  "the first run of the work is measured: nothing was run as a warm-up");
    check::expect(watched.readings[0].unfinished == 0,
                  "the clock started while the warm-up was still running on the device");
  }
}

TEST_CASE("earlier work of the device is not measured", "[repair_timing]") {
  const Watched watched("sim:0", "sim:0", 1, true);
  expect_two_readings(watched);
  check::expect(watched.readings[0].unfinished == 0,
                "the clock started while the device still had earlier work");
}

TEST_CASE("the time is that of one run", "[repair_timing]") {
  for (const int runs : {1, 2, 7}) {
    const Watched watched("sim:0", "sim:0", runs, false);
    expect_two_readings(watched);
    const int measured = watched.readings[1].calls - watched.readings[0].calls;
    check::expect(measured == runs && watched.all_calls == watched.readings[1].calls,
                  "runs = " + std::to_string(runs) + ", but the work ran " +
                      std::to_string(measured) + " times while the clock ran");
    check::expect_close(watched.result.milliseconds, 21.0 / runs, 1e-9,
                        "the milliseconds per run, for a clock that went from 100 to 121 in " +
                            std::to_string(runs) + " runs");
  }
}

TEST_CASE("each device is waited for, current or not", "[repair_timing]") {
  const int devices = std::min(2, td::device_count(td::kSIM));
  for (int current = 0; current < devices; ++current)
    for (int index = 0; index < devices; ++index) {
      const td::DeviceGuard guard(td::Device(td::kSIM, current));
      const td::Device device(td::kSIM, index);
      const Watched watched(device, index == current ? td::Device(td::kSIM) : device, 2, false);
      expect_two_readings(watched);
      const std::string where =
          device.str() + " was measured while sim:" + std::to_string(current) + " was current";
      for (const Reading& reading : watched.readings)
        check::expect(reading.unfinished == 0,
                      where + ": the clock was read while " + device.str() + " was working");
      check::expect(td::current_device(td::kSIM) == current,
                    where + ", and another device is current afterwards");
    }
}

TEST_CASE("the memory is the most that the work needs on its device", "[repair_timing]") {
  for (const td::Device device : accelerators()) {
    const std::string where = "on " + device.str() + ", with " +
                              td::check_device(td::Device(device.type())).str() + " current";
    const Live kept(device, 5000);
    const std::size_t base = td::memory_stats(device).allocated;
    std::size_t expected = 0;
    {
      const Live first(device, 70000), second(device, 12);
      expected = td::memory_stats(device).allocated - base;
    }
    { const Live earlier(device, std::size_t{1} << 20); }  // a higher peak, before
    const Measurement result = measure(
        device, 2, [&] { const Live first(device, 70000), second(device, 12); },
        [] { return 1.0; });
    check::expect(result.bytes == expected, "work that allocates and releases two tensors of " +
                                                std::to_string(expected) + " bytes in all needs " +
                                                std::to_string(result.bytes) + " bytes " + where);
  }
}

TEST_CASE("the memory of the warm-up does not count", "[repair_timing]") {
  const td::Device device("sim:0");
  const std::size_t base = td::memory_stats(device).allocated;
  std::size_t expected = 0;
  {
    const Live run(device, 30000);
    expected = td::memory_stats(device).allocated - base;
  }
  std::vector<std::unique_ptr<Live>> cache;  // what the first run makes, and all runs need
  const Measurement result = measure(
      device, 2,
      [&] {
        if (cache.empty()) {
          cache.push_back(std::make_unique<Live>(device, 50000));
          const Live once(device, std::size_t{1} << 20);
        }
        const Live run(device, 30000);
      },
      [] { return 1.0; });
  check::expect(result.bytes == expected,
                "work that needs 1 MiB in its first run, keeps a tensor of it, and needs " +
                    std::to_string(expected) +
                    " bytes in each later run: " + std::to_string(result.bytes) +
                    " bytes were measured; the warm-up is not part of the measurement");
}

TEST_CASE("a clock that has run for months", "[repair_timing]") {
  double now = 6e9 + 0.25;
  const double got = measure(
                         "sim:0", 4, [] {}, [&] { return now += 0.5; })
                         .milliseconds;
  check::expect_close(got, 0.125, 1e-12,
                      "the milliseconds per run, for a clock that went from 6000000000.75 to "
                      "6000000001.25 in 4 runs");
}

TEST_CASE("the work runs on the device that the caller has made current", "[repair_timing]") {
  if (td::device_count(td::kSIM) < 2) check::skip("needs two sim devices: TD_SIM_DEVICES=2");
  const td::DeviceGuard guard("sim:1");
  int other = 0;
  measure(
      "sim:0", 2, [&] { other += td::current_device(td::kSIM) != 1; }, [] { return 1.0; });
  check::expect(other == 0, "sim:1 is current, and sim:0 is measured: the work ran " +
                                std::to_string(other) +
                                " times with another current device than the caller's");
}
