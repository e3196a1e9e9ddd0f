// The figure of overlap, on traces whose times are known.
#include <cmath>

#include "catch.h"
#include "traces.h"

using namespace test;
using td::trace::overlap_times;

namespace {

constexpr const char* kUp = "Memcpy HtoD (Pinned -> Device)";
constexpr const char* kWithin = "Memcpy DtoD (Device -> Device)";

struct Device : HandMade {
  std::uint32_t compute = track(TrackKind::kStream, "sim:0", 0, "stream 0");
  std::uint32_t copies = track(TrackKind::kStream, "sim:0", 1, "stream 1");
  std::uint32_t engine = track(TrackKind::kEngine, "sim:0", 0, "copy engine HtoD");

  void copy(std::int64_t begin, std::int64_t end) {
    span(copies, Category::kCopy, kUp, begin, end);
    span(engine, Category::kEngine, kUp, begin, end);
  }
};

}  // namespace

TEST_CASE("sequential spans have no overlap, concurrent spans have full overlap") {
  Device serial;
  for (int step = 0; step < 3; ++step) {
    serial.copy(20 * step, 20 * step + 10);
    serial.span(serial.compute, Category::kKernel, "mm", 20 * step + 10, 20 * step + 20);
  }
  CHECK(overlap_times(serial.trace).efficiency() == Approx(0).margin(1e-12));
  const auto times = overlap_times(serial.trace);
  CHECK(times.serial == Approx(0.060));
  CHECK(times.bound == Approx(0.030));
  CHECK(times.measured == Approx(0.060));

  Device beside;
  for (int step = 0; step < 3; ++step) beside.copy(10 * step, 10 * step + 10);
  beside.span(beside.compute, Category::kKernel, "mm", 0, 30);
  CHECK(overlap_times(beside.trace).efficiency() == Approx(1));
}

TEST_CASE("a pipeline of three steps hides two thirds") {
  Device pipeline;
  for (int step = 0; step < 3; ++step) {
    pipeline.copy(10 * step, 10 * step + 10);
    pipeline.span(pipeline.compute, Category::kKernel, "mm", 10 * step + 10, 10 * step + 20);
  }
  CHECK(overlap_times(pipeline.trace).efficiency() == Approx((60. - 40) / (60 - 30)));
}

TEST_CASE("both directions and several devices count, the host and waiting do not") {
  Device both;
  const auto down = both.track(TrackKind::kEngine, "sim:0", 1, "copy engine DtoH");
  const auto second = both.track(TrackKind::kStream, "sim:1", 0, "stream 0");
  const auto host = both.track(TrackKind::kThread, "", 1, "main");
  both.copy(10, 20);
  both.span(down, Category::kEngine, "Memcpy DtoH (Device -> Pinned)", 10, 14);
  both.span(both.compute, Category::kKernel, "mm", 20, 50);
  both.span(second, Category::kKernel, "mm", 20, 40);
  both.span(both.compute, Category::kWait, "Stream Wait Event", 0, 20);
  both.span(host, Category::kOperator, "add", 0, 1000);
  const auto times = overlap_times(both.trace);
  CHECK(times.serial == Approx(0.064));
  CHECK(times.bound == Approx(0.030));
  CHECK(times.measured == Approx(0.040));
}

TEST_CASE("kernels concurrently on one device count once, and a copy within it is one") {
  Device crowded;
  crowded.span(crowded.compute, Category::kKernel, "mm", 0, 20);
  crowded.span(crowded.copies, Category::kKernel, "add", 10, 30);
  crowded.span(crowded.copies, Category::kCopy, kWithin, 40, 45);
  CHECK(overlap_times(crowded.trace).serial == Approx(0.035));
  CHECK(overlap_times(crowded.trace).bound == Approx(0.035));
  CHECK(std::isnan(overlap_times(crowded.trace).efficiency()));  // only one worked
  CHECK(std::isnan(overlap_times(Trace()).efficiency()));
  CHECK(overlap_times(Trace()).measured == 0);
}
