// Tests of advise: devices are functions that return made-up seconds.
#include <map>

#include "machine.h"

namespace {

using Table = std::map<std::int64_t, double>;

/// A device that takes the times of a table.
Machine::Curve curve(const Table& times, double unit) {
  return [=](std::int64_t size) { return unit * times.at(size); };
}

std::string text(const std::vector<Advice>& advice) {
  std::string all;
  for (const Advice& one : advice)
    all += (all.empty() ? "device " : ", device ") + std::to_string(one.device) + " from " +
           std::to_string(one.from);
  return all.empty() ? "nothing" : all;
}

void expect_advice(const std::vector<Advice>& got, const std::vector<Advice>& expected,
                   const std::string& what) {
  check::expect(text(got) == text(expected),
                what + ": expected \"" + text(expected) + "\", got \"" + text(got) + "\"");
}

void expect_tables(const std::vector<Table>& tables, const std::vector<Advice>& expected,
                   const std::string& what, double unit = 1e-6) {
  std::vector<Machine::Curve> curves;
  for (const Table& table : tables) curves.push_back(curve(table, unit));
  std::vector<std::int64_t> sizes;
  for (const auto& [size, us] : tables[0]) sizes.push_back(size);
  Machine machine(curves);
  expect_advice(advise(machine.devices(), sizes, 1), expected, what);
}

}  // namespace

TEST_CASE("the device with the lower cost per sample is advised from the crossing on",
          "[advisor]") {
  Machine machine(std::vector<Cost>{kHost, kDevice});
  expect_advice(advise(machine.devices(), {1, 64, 256}, 3), {{0, 1}, {1, 94}}, "the example");
  Machine reverse(std::vector<Cost>{kDevice, kHost});
  expect_advice(advise(reverse.devices(), {1, 64, 256}, 3), {{1, 1}, {0, 94}},
                "the example, with the devices exchanged");
  Machine one(std::vector<Cost>{kHost});
  expect_advice(advise(one.devices(), {8}, 1), {{0, 8}}, "one device, one size");
}

TEST_CASE("the measurements are interleaved, and the first round is not counted", "[advisor]") {
  for (const int runs : {1, 3}) {
    Machine slow(std::vector<Cost>{kHost, kDevice}, [](std::size_t call) {
      return call < 6 && call % 2 == 0 ? 90.0 : 1.0;  // only device 0 is slow at first
    });
    expect_advice(advise(slow.devices(), {1, 64, 256}, runs), {{0, 1}, {1, 94}},
                  "after a first round in which device 0 is slow, with " + std::to_string(runs) +
                      (runs == 1 ? " run" : " runs"));
  }
  Machine machine(std::vector<Cost>{kHost, kDevice});
  advise(machine.devices(), {1, 64, 256}, 3);
  std::string expected;
  for (int round = 0; round < 4; ++round) expected += " a1 b1 a64 b64 a256 b256";
  check::expect(machine.measured() == expected, "3 runs and a warm-up: expected the measurements" +
                                                    expected + ", got" + machine.measured());
}

TEST_CASE("one run that was disturbed does not change the advice", "[advisor]") {
  for (const double factor : {0.01, 40.0}) {
    Machine machine(std::vector<Cost>{kHost, kDevice},
                    [factor](std::size_t call) { return call % 13 == 7 ? factor : 1.0; });
    expect_advice(advise(machine.devices(), {1, 64, 256}, 5), {{0, 1}, {1, 94}},
                  std::string("some calls take ") +
                      (factor < 1 ? "a hundredth of their time" : "40 times as long") +
                      ": medians, not means");
  }
}

TEST_CASE("a gain below ten percent does not change the advice", "[advisor]") {
  expect_tables({{{1, 100}, {10, 200}, {100, 1000}}, {{1, 91}, {10, 182}, {100, 905}}}, {{0, 1}},
                "device 1 takes 0.905 to 0.91 of the time");
  expect_tables({{{1, 100}, {10, 200}, {100, 1000}}, {{1, 89}, {10, 179}, {100, 890}}}, {{1, 1}},
                "device 1 takes 0.89 of the time everywhere");
  expect_tables({{{1, 100}, {10, 100}}, {{1, 130}, {10, 90}}}, {{0, 1}, {1, 8}},
                "device 1 takes exactly 0.9 of the time at 10, which is enough", 1);
  expect_tables({{{1, 100}, {10, 1000}, {100, 2000}},
                 {{1, 200}, {10, 500}, {100, 900}},
                 {{1, 300}, {10, 600}, {100, 880}}},
                {{0, 1}, {1, 3}}, "device 2 is hardly faster than device 1, and only at 100");
}

TEST_CASE("a device begins where it becomes faster, not where it is ten percent faster",
          "[advisor]") {
  expect_tables(
      {{{1, 100}, {16, 100}, {64, 100}, {256, 100}}, {{1, 300}, {16, 130}, {64, 95}, {256, 50}}},
      {{0, 1}, {1, 58}}, "device 1 is 5 % faster at 64 and 50 % at 256");
  expect_tables({{{4, 100}, {8, 100}, {16, 100}}, {{4, 99}, {8, 95}, {16, 50}}}, {{1, 4}},
                "device 1 is a little faster at the first sizes, and much faster at the last one");
  expect_tables(
      {{{1, 100}, {4, 100}, {16, 100}, {64, 100}}, {{1, 95}, {4, 120}, {16, 97}, {64, 40}}},
      {{0, 1}, {1, 15}}, "device 1 is slower at 4: go back no further than that");
}

TEST_CASE("look back over several sizes, and take the fastest device", "[advisor]") {
  expect_tables(
      {{{1, 100}, {4, 100}, {16, 100}, {64, 100}}, {{1, 300}, {4, 94}, {16, 96}, {64, 50}}},
      {{0, 1}, {1, 4}}, "device 1 is a little faster at 4 and 16, and much faster at 64");
  expect_tables({{{1, 100}, {10, 100}}, {{1, 200}, {10, 80}}, {{1, 200}, {10, 40}}},
                {{0, 1}, {2, 7}}, "at 10 two devices are faster, and device 2 is the fastest");
}

TEST_CASE("several devices follow each other", "[advisor]") {
  expect_tables({{{1, 10}, {10, 100}, {100, 1000}, {1000, 10000}},
                 {{1, 50}, {10, 70}, {100, 300}, {1000, 2700}},
                 {{1, 200}, {10, 205}, {100, 211}, {1000, 250}}},
                {{0, 1}, {1, 7}, {2, 65}}, "three devices");
  expect_tables({{{1, 10}, {10, 100}, {100, 1000}},
                 {{1, 52}, {10, 80}, {100, 700}},
                 {{1, 40}, {10, 81}, {100, 60}}},
                {{0, 1}, {1, 8}, {2, 11}}, "device 2 is hardly slower than device 1 at 10");
  expect_tables({{{1, 100}, {10, 100}, {100, 100}, {1000, 100}},
                 {{1, 210}, {10, 50}, {100, 62}, {1000, 300}}},
                {{0, 1}, {1, 8}, {0, 244}}, "the first device is the best again at the end");
  expect_tables({{{1, 100}, {10, 100}, {100, 100}},
                 {{1, 50}, {10, 50}, {100, 50}},
                 {{1, 50}, {10, 50}, {100, 50}}},
                {{1, 1}}, "of two equal devices, the first");
}

TEST_CASE("a device that is the best at one size only", "[advisor]") {
  expect_tables({{{1, 40}, {10, 100}, {100, 10}, {1000, 10}},
                 {{1, 50}, {10, 105}, {100, 300}, {1000, 300}},
                 {{1, 60}, {10, 80}, {100, 95}, {1000, 100}}},
                {{0, 1}, {2, 6}, {0, 28}}, "device 2 is the best at 10 only");
}

// Powers of two, with which every way to compute a crossing is exact.
constexpr double kExact = 0x1p-20;

TEST_CASE("a crossing exactly at an integer", "[advisor]") {
  expect_tables({{{1, 8}, {65, 8}}, {{1, 10}, {65, 6}}}, {{0, 1}, {1, 33}},
                "the lines cross at exactly 33", kExact);
  expect_tables({{{1, 8}, {5, 8}, {69, 8}}, {{1, 12}, {5, 8}, {69, 4}}}, {{0, 1}, {1, 5}},
                "both take the same time at 5, so the lines cross there", kExact);
  expect_tables({{{1, 8}, {65, 8}}, {{1, 8}, {65, 4}}}, {{1, 1}},
                "both take the same time at the first size, so the lines cross there", kExact);
  expect_tables(
      {{{1, 8}, {5, 8}, {9, 8}, {73, 8}}, {{1, 12}, {5, 8}, {9, 8}, {73, 4}}}, {{0, 1}, {1, 9}},
      "both take the same time at 5 and at 9: device 1 is not faster there, so go back to 9 only",
      kExact);
}

TEST_CASE("an entry in the middle is replaced, too", "[advisor]") {
  expect_tables(
      {{{1, 4}, {5, 8}, {69, 68}}, {{1, 12}, {5, 7}, {69, 64}}, {{1, 20}, {5, 7}, {69, 16}}},
      {{0, 1}, {2, 5}}, "device 1 begins at 5, and then so does device 2", kExact);
}

TEST_CASE("sizes beyond 32 bits", "[advisor]") {
  const std::int64_t last = (std::int64_t{1} << 41) + 1, middle = (std::int64_t{1} << 40) + 1;
  expect_tables({{{1, 8}, {last, 8}}, {{1, 10}, {last, 6}}}, {{0, 1}, {1, middle}},
                "sizes 1 and 2^41 + 1", kExact);
}

TEST_CASE("two disturbed runs of five do not change the advice", "[advisor]") {
  for (const double factor : {0.01, 40.0}) {
    Machine machine(std::vector<Cost>{kHost, kDevice}, [factor](std::size_t call) {
      const std::size_t round = call / 6, device = call % 2;
      return device == 0 && (round == 2 || round == 5) ? factor : 1.0;
    });
    expect_advice(advise(machine.devices(), {1, 64, 256}, 5), {{0, 1}, {1, 94}},
                  std::string("runs 2 and 5 of device 0 take ") +
                      (factor < 1 ? "a hundredth of their time" : "40 times as long") +
                      ": the median is the third of the five sorted times");
  }
}
