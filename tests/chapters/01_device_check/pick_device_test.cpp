// Tests of pick_device. They use indices that no machine of the course has, so that the result is
// the same with and without a GPU.
#include "check_devices.h"
#include "exercises.h"
#include "log_lines.h"
#include "td/device/stream.h"

namespace {

using Wishes = std::vector<std::string>;

std::string joined(const Wishes& wishes) {
  std::string text;
  for (const auto& wish : wishes) text += (text.empty() ? "" : ", ") + wish;
  return "wishes {" + text + "}";
}

td::Device pick(const Wishes& wishes, std::string* text = nullptr) {
  std::ostringstream log;
  td::Device device = td::kCPU;
  try {
    device = pick_device(wishes, log);
  } catch (const td::NotDoneYet&) {
    throw;
  } catch (const std::exception& error) {
    FAIL(joined(wishes) << ": all of these are device strings, but an error was thrown: "
                        << error.what());
  }
  if (text) *text = log.str();
  return device;
}

void expect_pick(const Wishes& wishes, td::Device expected) {
  const td::Device got = pick(wishes);
  check::expect(got == expected,
                joined(wishes) + ": expected " + expected.str() + ", got " + got.str());
}

std::string reason(const std::string& wish) {
  try {
    td::check_device(wish);
  } catch (const td::DeviceError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the first requested device that exists is taken", "[pick_device]") {
  for (const td::Device device : check::devices()) {
    expect_pick({device.str()}, device);
    expect_pick({"cuda:127", device.str(), "cpu"}, device);
    expect_pick({device.str(), "cpu"}, device);
    expect_pick({"cpu", device.str()}, "cpu");
  }
}

TEST_CASE("an index that does not exist is not used", "[pick_device]") {
  expect_pick({"sim:99", "sim:0"}, td::Device("sim:0"));
}

TEST_CASE("the cpu is one device", "[pick_device]") {
  expect_pick({"cpu:1", "sim:0"}, td::Device("sim:0"));
  expect_pick({"cpu:0", "sim:0"}, td::Device("cpu"));
}

TEST_CASE("cpu is taken if no requested device exists", "[pick_device]") {
  expect_pick({"cuda:127", "sim:99"}, td::Device("cpu"));
  expect_pick({}, td::Device("cpu"));
}

TEST_CASE("a kind without index is the current device of the kind", "[pick_device]") {
  expect_pick({"sim"}, td::Device("sim:0"));
  if (td::device_count(td::kSIM) < 2) check::skip("needs two sim devices: TD_SIM_DEVICES=2");
  const td::DeviceGuard guard(td::Device("sim:1"));
  expect_pick({"sim"}, td::Device("sim:1"));
}

TEST_CASE("the current device stays as it was", "[pick_device]") {
  if (td::device_count(td::kSIM) < 2) check::skip("needs two sim devices: TD_SIM_DEVICES=2");
  for (const int current : {0, 1}) {
    const td::DeviceGuard guard(td::Device(td::kSIM, current));
    const std::string other = "sim:" + std::to_string(1 - current);
    pick({other});
    check::expect(td::current_device(td::kSIM) == current,
                  "sim:" + std::to_string(current) +
                      " was the current sim device before pick_device({\"" + other +
                      "\"}), and is not afterwards: look for set_device");
  }
}

TEST_CASE("a typing mistake is an error, wherever it is in the list", "[pick_device]") {
  for (const std::string text : {"cuda0", "gpu", "sim:", ""})
    for (const Wishes& wishes :
         {Wishes{text, "cpu"}, Wishes{"cpu", text}, Wishes{"cuda:127", text, "sim:0"}}) {
      std::ostringstream log;
      check::expect_throws<td::DeviceError>(
          [&] { pick_device(wishes, log); }, {'"' + text + '"'},
          joined(wishes) + " with \"" + text + "\", which is no device");
    }
}

TEST_CASE("every step is logged", "[pick_device]") {
  std::string log;
  pick({"cuda:127", "sim:99", "sim:0", "cpu"}, &log);
  const auto told = lines(log);
  check::expect(told.size() == 3,
                "three lines were expected, for cuda:127, sim:99 and sim:0; the log is:\n" + log);
  for (const int i : {0, 1}) {
    const std::string wish = i == 0 ? "cuda:127" : "sim:99";
    check::expect(contains(told[i], wish), "line " + std::to_string(i + 1) + " should contain " +
                                               wish + ", which was not used; the log is:\n" + log);
    check::expect(contains(told[i], reason(wish)),
                  "the line of " + wish + " should contain the reason, what() of the error: \"" +
                      reason(wish) + "\"; it is: " + told[i]);
  }
  check::expect(contains(told[2], "sim:0"),
                "the last line contains the device that is used; it is: " + told[2]);
}

TEST_CASE("wishes after the device that is returned are not tried", "[pick_device]") {
  std::string log;
  pick({"sim:0", "cuda:127", "sim:99"}, &log);
  check::expect(lines(log).size() == 1 && contains(log, "sim:0"),
                "wishes {sim:0, cuda:127, sim:99}: one line was expected, with sim:0, because the "
                "first wish exists; the log is:\n" +
                    log);
}

TEST_CASE("a wish that is repeated is tried again", "[pick_device]") {
  std::string log;
  pick({"sim:99", "sim:99", "sim:0"}, &log);
  check::expect(
      lines(log).size() == 3,
      "wishes {sim:99, sim:99, sim:0}: a line for each wish was expected; the log is:\n" + log);
}

TEST_CASE("the last fallback is logged too", "[pick_device]") {
  std::string log;
  pick({"cuda:127"}, &log);
  auto told = lines(log);
  check::expect(
      told.size() == 2 && contains(told[1], "cpu"),
      "wishes {cuda:127}: two lines were expected, the last one with cpu; the log is:\n" + log);
  pick({}, &log);
  told = lines(log);
  check::expect(told.size() == 1 && contains(told[0], "cpu"),
                "wishes {}: one line with cpu was expected; the log is:\n" + log);
}

TEST_CASE("a kind without index is logged as the device that it means", "[pick_device]") {
  std::string log;
  pick({"sim"}, &log);
  check::expect(!lines(log).empty() && contains(lines(log).back(), "sim:0"),
                "wishes {sim}: the last line contains sim:0, the device that is returned; the log "
                "is:\n" +
                    log);
}
