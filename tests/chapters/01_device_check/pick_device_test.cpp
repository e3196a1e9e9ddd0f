// Tests of pick_device. They use indices that no machine of the course has, so that the outcome is
// the same with and without a GPU.
#include <sstream>

#include "check_devices.h"
#include "exercises.h"
#include "td/device/stream.h"

namespace {

using Wishes = std::vector<std::string>;

td::Device pick(const Wishes& wishes) {
  std::ostringstream log;
  return pick_device(wishes, log);
}

std::string joined(const Wishes& wishes) {
  std::string text;
  for (const auto& wish : wishes) text += (text.empty() ? "" : ", ") + wish;
  return "wishes {" + text + "}";
}

void expect_pick(const Wishes& wishes, td::Device expected) {
  const td::Device got = pick(wishes);
  check::expect(got == expected,
                joined(wishes) + ": expected " + expected.str() + ", got " + got.str());
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

}  // namespace

TEST_CASE("the first wish that exists is taken", "[pick_device]") {
  for (const td::Device device : check::devices()) {
    expect_pick({device.str()}, device);
    expect_pick({"cuda:127", device.str(), "cpu"}, device);
  }
  expect_pick({"sim:0", "cpu"}, td::Device("sim:0"));
}

TEST_CASE("an index that is not there is passed over", "[pick_device]") {
  expect_pick({"sim:99", "sim:0"}, td::Device("sim:0"));
}

TEST_CASE("cpu is taken where no wish can be fulfilled", "[pick_device]") {
  expect_pick({"cuda:127", "sim:99"}, td::Device("cpu"));
  expect_pick({}, td::Device("cpu"));
}

TEST_CASE("a kind without index is the current device of the kind", "[pick_device]") {
  expect_pick({"sim"}, td::Device("sim:0"));
  if (td::device_count(td::kSIM) < 2) check::skip("needs two sim devices: TD_SIM_DEVICES=2");
  const td::DeviceGuard guard(td::Device("sim:1"));
  expect_pick({"sim"}, td::Device("sim:1"));
}

TEST_CASE("a typing mistake is an error, not a fallback", "[pick_device]") {
  for (const std::string text : {"cuda0", "gpu", "sim:", ""})
    check::expect_throws<td::DeviceError>(
        [&] {
          pick({text, "cpu"});
        },
        {'"' + text + '"'}, "the wish \"" + text + "\", which is no device");
}

TEST_CASE("every step is told", "[pick_device]") {
  std::ostringstream log;
  pick_device({"cuda:127", "sim:99", "sim:0", "cpu"}, log);
  const auto told = lines(log.str());
  check::expect(
      told.size() == 3,
      "three lines were expected, for cuda:127, sim:99 and sim:0; the log is:\n" + log.str());
  check::expect(
      told[0].find("cuda:127") != std::string::npos && told[1].find("sim:99") != std::string::npos,
      "one line for each wish that was passed over, in order; the log is:\n" + log.str());
  check::expect(told[0].size() > 20,
                "the line should say why cuda:127 was passed over; it is: " + told[0]);
  check::expect(told[2].find("sim:0") != std::string::npos,
                "the last line names the device that is used; it is: " + told[2]);
}

TEST_CASE("the last fallback is told too", "[pick_device]") {
  std::ostringstream log;
  pick_device({"cuda:127"}, log);
  const auto told = lines(log.str());
  check::expect(told.size() == 2 && told[1].find("cpu") != std::string::npos,
                "two lines were expected, the last one with cpu; the log is:\n" + log.str());
}
