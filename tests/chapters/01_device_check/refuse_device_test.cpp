// Tests of refuse_device: the last valid index, the first that is not, and what the message holds.
#include "check_devices.h"
#include "exercises.h"

namespace {

std::string call(const std::string& kind, int index, int count) {
  return "refuse_device(\"" + kind + "\", " + std::to_string(index) + ", " + std::to_string(count) +
         ")";
}

void expect_allowed(const std::string& kind, int index, int count) {
  try {
    refuse_device(kind, index, count);
  } catch (const td::Error& error) {
    FAIL(call(kind, index, count) << ": this device exists, but it was refused: " << error.what());
  }
}

void expect_refused(const std::string& kind, int index, int count,
                    const std::vector<std::string>& parts) {
  check::expect_throws<td::DeviceError>([&] { refuse_device(kind, index, count); }, parts,
                                        call(kind, index, count));
}

}  // namespace

TEST_CASE("devices that exist are not refused", "[refuse_device]") {
  expect_allowed("cuda", 0, 1);
  for (int index = 0; index < 3; ++index) expect_allowed("sim", index, 3);
}

TEST_CASE("two devices, and the fourth is asked for", "[refuse_device]") {
  expect_refused("cuda", 3, 2, {"cuda:3", "2", "cuda:0 to cuda:1"});
}

TEST_CASE("the first index behind the last device", "[refuse_device]") {
  expect_refused("cuda", 2, 2, {"cuda:2", "2", "cuda:0 to cuda:1"});
  expect_refused("sim", 4, 4, {"sim:4", "4", "sim:0 to sim:3"});
}

TEST_CASE("one device is not a range", "[refuse_device]") {
  expect_refused("cuda", 1, 1, {"cuda:1", "1", "cuda:0"});
  std::string text;
  try {
    refuse_device("cuda", 1, 1);
  } catch (const td::DeviceError& error) {
    text = error.what();
  }
  check::expect(text.find("to cuda:0") == std::string::npos,
                "\"cuda:0 to cuda:0\" is no help; the message is: " + text);
}

TEST_CASE("where there is none, the message says where to look", "[refuse_device]") {
  expect_refused("cuda", 0, 0, {"cuda:0", "nvidia-smi", "cpu"});
}

TEST_CASE("an index below 0 is refused too", "[refuse_device]") {
  expect_refused("sim", -1, 2, {"sim:-1", "2", "sim:0 to sim:1"});
}
