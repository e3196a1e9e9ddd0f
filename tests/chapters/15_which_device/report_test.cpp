// Tests of read_report.
#include <cmath>
#include <sstream>
#include <utility>

#include "check.h"
#include "exercises.h"

namespace {

constexpr Activity kCompute = Activity::kCompute, kCopy = Activity::kCopy,
                   kCommunication = Activity::kCommunication, kLaunch = Activity::kLaunch;

const char* name(Loss loss) {
  constexpr const char* kNames[] = {"kNone", "kCopies", "kCommunication", "kLaunches", "kWaiting"};
  const auto index = static_cast<std::size_t>(loss);
  return index < 5 ? kNames[index] : "no value of Loss";
}

// Times of the spans and losses in 1/1024 of a second: sums of such numbers are exact.
StepReport report_of(double one, double all, int devices, std::vector<StepSpan> spans) {
  for (StepSpan& span : spans) {
    span.begin /= 1024;
    span.end /= 1024;
  }
  return read_report(one / 1024, all / 1024, devices, spans);
}

void expect_losses(const StepReport& report, const std::vector<double>& expected, Loss largest,
                   const std::string& what) {
  const std::vector<double> got = {1024 * report.copies, 1024 * report.communication,
                                   1024 * report.launches, 1024 * report.waiting};
  const char* const kinds[] = {"copies", "communication", "launches", "waiting"};
  for (std::size_t i = 0; i < 4; ++i)
    check::expect_close(got[i], expected[i], 1e-9, what + ", units lost to " + kinds[i]);
  check::expect(report.largest == largest,
                what + ": the largest loss is " + name(largest) + ", got " + name(report.largest));
}

}  // namespace

TEST_CASE("speed-up and efficiency", "[report]") {
  for (const int devices : {1, 2, 3, 8}) {
    const StepReport report = read_report(0.012, 0.008, devices, {});
    check::expect_close(report.speed_up, 1.5, 1e-12, "the speed-up from 12 ms to 8 ms");
    check::expect_close(
        report.efficiency, 1.5 / devices, 1e-12,
        "the efficiency of a speed-up of 1.5 with " + std::to_string(devices) + " devices");
  }
  check::expect_close(read_report(0.01, 0.02, 2, {}).speed_up, 0.5, 1e-12,
                      "the speed-up of a step that became slower");
}

TEST_CASE("a device that computes loses no time, whatever else happens", "[report]") {
  expect_losses(report_of(10, 10, 1, {{0, kCompute, 0, 6}, {0, kCopy, 4, 9}}), {3, 0, 0, 1},
                Loss::kCopies, "the example");
  expect_losses(report_of(10, 10, 1,
                          {{0, kCopy, 0, 10},
                           {0, kLaunch, 0, 10},
                           {0, kCompute, 0, 10},
                           {0, kCommunication, 2, 3}}),
                {0, 0, 0, 0}, Loss::kNone, "a device that always computes");
}

TEST_CASE("time is lost to the first of copy, communication and launch", "[report]") {
  const std::vector<StepSpan> spans = {
      {0, kLaunch, 0, 8}, {0, kCommunication, 0, 4}, {0, kCopy, 0, 1}};
  expect_losses(report_of(10, 10, 1, spans), {1, 3, 4, 2}, Loss::kLaunches,
                "a copy, communication and a launch that begin together");
  expect_losses(report_of(10, 10, 1, {spans.rbegin(), spans.rend()}), {1, 3, 4, 2}, Loss::kLaunches,
                "the same spans in the opposite order");
}

TEST_CASE("spans of one activity may overlap, touch or be empty", "[report]") {
  expect_losses(report_of(10, 10, 1,
                          {{0, kCompute, 1, 4},
                           {0, kCompute, 2, 3},
                           {0, kCompute, 3, 6},
                           {0, kCopy, 6, 8},
                           {0, kCopy, 7, 9},
                           {0, kCopy, 7, 9}}),
                {3, 0, 0, 2}, Loss::kCopies, "kernels and copies that overlap");
  expect_losses(report_of(10, 10, 1, {{0, kCompute, 0, 5}, {0, kCompute, 5, 10}, {0, kCopy, 5, 5}}),
                {0, 0, 0, 0}, Loss::kNone, "two kernels without a gap, and an empty copy");
}

TEST_CASE("only the part of a span within the step counts", "[report]") {
  expect_losses(report_of(10, 10, 1,
                          {{0, kCompute, -3, 2},
                           {0, kCopy, 8, 14},
                           {0, kLaunch, 11, 12},
                           {0, kCommunication, -5, -1}}),
                {2, 0, 0, 6}, Loss::kWaiting, "spans that begin before and end after the step");
}

TEST_CASE("each device has its own losses, and they are added", "[report]") {
  expect_losses(report_of(12, 8, 2,
                          {{0, kCompute, 0, 6},
                           {1, kCommunication, 0, 3},
                           {1, kCompute, 3, 6},
                           {0, kCommunication, 6, 8}}),
                {0, 5, 0, 2}, Loss::kCommunication, "two devices");
  expect_losses(report_of(12, 8, 3, {{0, kCompute, 0, 8}, {2, kCopy, 1, 8}}), {7, 0, 0, 9},
                Loss::kWaiting, "three devices, of which one has no spans");
  expect_losses(report_of(12, 8, 2, {{0, kCompute, 0, 8}, {1, kCopy, 0, 8}}), {8, 0, 0, 0},
                Loss::kCopies, "one device computes while the other one copies");
}

TEST_CASE("of equal losses, the first is the largest", "[report]") {
  expect_losses(
      report_of(8, 8, 1, {{0, kLaunch, 0, 2}, {0, kCommunication, 2, 4}, {0, kCopy, 4, 6}}),
      {2, 2, 2, 2}, Loss::kCopies, "four equal losses");
  expect_losses(report_of(8, 8, 1, {{0, kCompute, 0, 4}, {0, kLaunch, 4, 6}}), {0, 0, 2, 2},
                Loss::kLaunches, "launches and waiting");
  expect_losses(report_of(8, 8, 2, {}), {0, 0, 0, 16}, Loss::kWaiting, "no spans at all");
}

TEST_CASE("impossible arguments are errors", "[report]") {
  const auto expect_error = [](double one, double all, int devices, int device,
                               const std::string& what) {
    check::expect_throws<td::Error>(
        [&] {
          read_report(one, all, devices, {{device, kCompute, 0, 1}});
        },
        {}, what);
  };
  expect_error(0, 1, 1, 0, "no seconds on one device");
  expect_error(-1, 1, 1, 0, "negative seconds on one device");
  expect_error(1, 0, 1, 0, "no seconds on all devices");
  expect_error(1, -1, 1, 0, "negative seconds on all devices");
  const double nan = std::nan("");
  expect_error(nan, 1, 1, 0, "seconds on one device that are not a number, so not positive");
  expect_error(1, nan, 1, 0, "seconds on all devices that are not a number, so not positive");
  expect_error(1, 1, 0, 0, "no devices");
  expect_error(1, 1, -1, -1, "-1 devices");
  expect_error(1, 1, 2, 2, "a span of device 2 of 2");
  expect_error(1, 1, 2, -1, "a span of device -1");
}

TEST_CASE("spans of any length, however short, at any time", "[report]") {
  expect_losses(report_of(10, 10, 1,
                          {{0, kCompute, 0, 1.0 / 3},
                           {0, kCopy, 0.3, 0.4567},
                           {0, kLaunch, 2.71828, 2.71829},
                           {0, kCommunication, 3.14159, 7.00001}}),
                {0.4567 - 1.0 / 3, 7.00001 - 3.14159, 0.00001, 10 - 7.00001 - 0.4567 + 3.14158},
                Loss::kWaiting, "spans that no grid of times hits");
  expect_losses(report_of(10, 10, 1, {{0, kCompute, 0, 9.999}}), {0, 0, 0, 0.001}, Loss::kWaiting,
                "one microsecond of waiting");
  expect_losses(report_of(8, 8, 1, {{0, kCompute, 0, 4}, {0, kCopy, 4, 5.999}}),
                {1.999, 0, 0, 2.001}, Loss::kWaiting, "two microseconds more waiting than copies");
}

TEST_CASE("a step of hours, and one of nanoseconds", "[report]") {
  for (const double all : {1e4, 1e-8, 1e-10}) {
    const StepReport report =
        read_report(2 * all, all, 2, {{0, kCompute, 0, all}, {1, kCopy, 0, all / 4}});
    std::ostringstream what;
    what << "a step of " << all << " seconds";
    check::expect_close(report.copies / all, 0.25, 1e-9, what.str() + ", its part lost to copies");
    check::expect_close(report.waiting / all, 0.75, 1e-9,
                        what.str() + ", its part lost to waiting");
    check::expect(report.largest == Loss::kWaiting,
                  what.str() + ": the largest loss is kWaiting, got " + name(report.largest));
  }
}

TEST_CASE("a device that does not exist is an error wherever its span is", "[report]") {
  for (const auto& [begin, end] : {std::pair(0.0, 1.0), {5.0, 6.0}, {-2.0, -1.0}, {0.5, 0.5}})
    check::expect_throws<td::Error>(
        [&, begin = begin, end = end] {
          read_report(1, 1, 2, {{0, kCompute, 0, 1}, {1, kCopy, 0, 1}, {2, kCopy, begin, end}});
        },
        {},
        "device 2 of 2, in the last of three spans, which lasts from " + std::to_string(begin) +
            " to " + std::to_string(end) + " in a step of 1 second");
}
