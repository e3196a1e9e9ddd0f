// Tests of bandwidth. The link of sim takes as long as it is set to; a listener counts the copies
// and delays single ones. The tests distinguish only lengths that differ by a factor.
#include <sstream>

#include "accelerators.h"
#include "exercises.h"
#include "lanes.h"
#include "td/device/record.h"

namespace {

constexpr std::size_t kBytes = 4 << 20;

// Counts copies. `many` copies from number `first` on (from 0) take `slow_ms`, the others 20 ms.
struct Copies {
  explicit Copies(int first, int many = 1, double slow_ms = 200) {
    slow_us = 1000 * slow_ms;
    count = 0;
    slow = first;
    last = first + many - 1;
  }
  static inline std::atomic<int> count{0}, slow{0}, last{0};
  static inline double slow_us = 0;
  const td::RecordObserver counting{[](const td::Record& record, td::Device) {
    if (std::string(record.name) != "copy") return;
    td::sim::set_link(
        {.gb_per_s = 12, .latency_us = count >= slow && count <= last ? slow_us : 20000.0});
    ++count;
  }};
};

td::Tensor pinned(std::size_t bytes = kBytes) {
  return td::zeros({static_cast<std::int64_t>(bytes / 4)}).pin_memory();
}

void expect_about(double seconds, double expected, const std::string& what) {
  std::ostringstream text;
  text << what << ": expected about " << expected * 1e3 << " ms, got " << seconds * 1e3 << " ms";
  check::expect(seconds >= 0.9 * expected && seconds <= 3 * expected + 0.03, text.str());
}

}  // namespace

TEST_CASE("1 GB is 10^9 bytes, and each byte counts once", "[bandwidth]") {
  check::expect_close(gb_per_s(std::size_t{1} << 30, 1.0), 1.073741824, 1e-12,
                      "1 GiB in a second, in GB/s");
  check::expect_close(gb_per_s(12000000000, 1.0), 12, 1e-9, "12 * 10^9 bytes in a second, in GB/s");
  check::expect_close(gb_per_s(1000, 0.5), 2e-6, 1e-15, "1000 bytes in half a second, in GB/s");
  check::expect_close(gb_per_s(std::size_t{3} << 32, 4.0), 3.221225472, 1e-9,
                      "12 GiB in 4 seconds, in GB/s");
}

TEST_CASE("the time includes the wait for the copy, in both directions", "[bandwidth]") {
  const LinkOf link({.gb_per_s = 0.1, .latency_us = 0});
  const td::Tensor host = pinned(), pageable = td::zeros({kBytes / 4}),
                   device = td::zeros({kBytes / 4}, kSim);
  const double expected = kBytes / 1e8;  // three runs: on a busy machine one of them may wait
  expect_about(copy_seconds(device, host, 3), expected, "4 MiB from pinned memory at 0.1 GB/s");
  expect_about(copy_seconds(host, device, 3), expected, "4 MiB to pinned memory at 0.1 GB/s");
  expect_about(copy_seconds(device, pageable, 3), expected,
               "4 MiB from pageable memory at 0.1 GB/s");
}

TEST_CASE("the first copy warms up and is not counted", "[bandwidth]") {
  const LinkOf link({.gb_per_s = 12, .latency_us = 20000});
  const td::Tensor host = pinned(), device = td::zeros({kBytes / 4}, kSim);
  const Copies copies(0, 1, 400);
  const double seconds = copy_seconds(device, host, 1);
  check::expect(Copies::count == 2,
                "1 run and a warm-up are 2 copies; there were " + std::to_string(Copies::count));
  check::expect(seconds < 0.09,
                "a copy of 20 ms after a first one of 400 ms: expected about 20 ms, "
                "got " +
                    std::to_string(1e3 * seconds) + " ms");
}

TEST_CASE("two slow copies of five do not change the median", "[bandwidth]") {
  const LinkOf link({.gb_per_s = 12, .latency_us = 20000});
  const td::Tensor host = pinned(), device = td::zeros({kBytes / 4}, kSim);
  const Copies copies(2, 2, 400);
  expect_about(copy_seconds(device, host, 5), 0.02, "five copies of 20 ms, two of them 400 ms");
}

TEST_CASE("two slow copies of three are the median", "[bandwidth]") {
  const LinkOf link({.gb_per_s = 12, .latency_us = 20000});
  const td::Tensor host = pinned(), device = td::zeros({kBytes / 4}, kSim);
  const Copies copies(2, 2, 150);
  expect_about(copy_seconds(device, host, 3), 0.15, "copies of 20, 150 and 150 ms");
}

TEST_CASE("work that was enqueued before is not part of the time", "[bandwidth]") {
  const LinkOf link({.gb_per_s = 12, .latency_us = 20000});
  const td::Tensor host = pinned(), device = td::zeros({kBytes / 4}, kSim);
  launch(td::getCurrentStream(kSim),
         [] { std::this_thread::sleep_for(std::chrono::milliseconds(300)); });
  expect_about(copy_seconds(device, host, 1), 0.02, "a copy of 20 ms on a device that was busy");
}

TEST_CASE("the bytes arrive", "[bandwidth]") {
  const td::Tensor from = td::arange(1000).to(td::kFloat32).pin_memory(),
                   device = td::zeros({1000}, kSim), back = td::zeros({1000});
  copy_seconds(device, from, 2);
  copy_seconds(back, device, 2);
  check::expect_close(back, from, 0, "what was copied there and back");
}

TEST_CASE("an even number of runs, and a current stream that is not the default", "[bandwidth]") {
  const LinkOf link({.gb_per_s = 12, .latency_us = 20000});
  const td::Device other("sim:1");
  const td::Tensor host = pinned(), device = td::zeros({kBytes / 4}, other);
  const td::StreamGuard guard(td::getStreamFromPool(other));
  {
    const Copies copies(1);
    const double seconds = copy_seconds(device, host, 4);
    check::expect(td::getCurrentStream(other).query(),
                  "a stream of sim:1's pool is current, and copy_seconds returns before the copies "
                  "have arrived: wait for the current stream of the accelerator");
    expect_about(seconds, 0.02,
                 "four copies of 20 ms on a stream of sim:1's pool, one of them 200 ms");
    check::expect(Copies::count == 5,
                  "4 runs and a warm-up are 5 copies; there were " + std::to_string(Copies::count));
  }
}

TEST_CASE("the bytes arrive on every accelerator", "[bandwidth]") {
  for (const td::Device device : accelerators()) {
    const td::Tensor from = td::arange(1000).to(td::kFloat32).pin_memory(),
                     there = td::zeros({1000}, device), back = td::zeros({1000});
    check::expect(copy_seconds(there, from, 1) > 0, "a copy to " + device.str() + " takes no time");
    copy_seconds(back, there, 2);
    check::expect_close(back, from, 0, "what was copied to " + device.str() + " and back");
  }
}

TEST_CASE("each copy is measured alone", "[bandwidth]") {
  const LinkOf link({.gb_per_s = 12, .latency_us = 20000});
  const td::Tensor host = pinned(), device = td::zeros({kBytes / 4}, kSim);
  td::synchronize(kSim);
  int together = 0;
  {
    const td::RecordObserver watching{[&](const td::Record& record, td::Device) {
      if (std::string(record.name) == "copy") together += !td::getCurrentStream(kSim).query();
    }};
    copy_seconds(device, host, 4);
  }
  check::expect(together == 0, "4 runs and a warm-up: " + std::to_string(together) +
                                   " copies began while the copy before was still running; wait "
                                   "for each copy, and take the median of their times");
}
