// Tests of one_device: who is named, which cure is given, and who goes with anybody.
#include "check_tensors.h"
#include "exercises.h"

namespace {

td::Tensor on(td::Device device) { return td::ones({2}, device); }
td::Tensor number(td::Device device) { return td::full({}, 3, device); }

void expect_device(const std::vector<Argument>& arguments, td::Device expected,
                   const std::string& what) {
  td::Device got = td::kCPU;
  try {
    got = one_device("add", arguments);
  } catch (const td::DeviceError& error) {
    FAIL(what << ": these may be mixed, but they were refused: " << error.what());
  }
  check::expect(got == expected, what + ": expected " + expected.str() + ", got " + got.str());
}

void expect_refused(const std::vector<Argument>& arguments, const std::vector<std::string>& parts,
                    const std::string& what) {
  check::expect_throws<td::DeviceError>([&] { one_device("linear", arguments); }, parts, what);
}

}  // namespace

TEST_CASE("arguments that share a device", "[one_device]") {
  for (const td::Device device : check::devices()) {
    expect_device({{"input", on(device)}}, device, "one argument on " + device.str());
    expect_device({{"input", on(device)}, {"other", on(device)}, {"out", on(device)}}, device,
                  "three arguments on " + device.str());
  }
}

TEST_CASE("the example of the exercise", "[one_device]") {
  expect_refused({{"input", on("cpu")}, {"weight", on("sim:0")}},
                 {"linear", "\"weight\" is on sim:0", "\"input\" is on cpu", "input.to(\"sim:0\")"},
                 "input on cpu, weight on sim:0");
}

TEST_CASE("the cure leads to the accelerator", "[one_device]") {
  expect_refused({{"input", on("sim:0")}, {"weight", on("cpu")}},
                 {"\"weight\"", "\"input\"", "cpu", "weight.to(\"sim:0\")"},
                 "input on sim:0, weight on cpu");
}

TEST_CASE("two devices of one kind are two devices", "[one_device]") {
  if (td::device_count(td::kSIM) < 2) check::skip("needs two sim devices: TD_SIM_DEVICES=2");
  expect_refused({{"input", on("sim:0")}, {"weight", on("sim:1")}},
                 {"\"weight\"", "sim:1", "\"input\"", "sim:0", "weight.to(\"sim:0\")"},
                 "input on sim:0, weight on sim:1");
}

TEST_CASE("every argument is looked at", "[one_device]") {
  expect_refused({{"input", on("sim:0")}, {"weight", on("sim:0")}, {"bias", on("cpu")}},
                 {"\"bias\"", "\"input\"", "bias.to(\"sim:0\")"}, "bias alone is on cpu");
}

TEST_CASE("a number on the cpu goes with any device", "[one_device]") {
  for (const td::Device device : check::devices()) {
    expect_device({{"input", on(device)}, {"other", number("cpu")}}, device,
                  device.str() + " and a number on the cpu");
    expect_device({{"input", number("cpu")}, {"other", on(device)}}, device,
                  "a number on the cpu and " + device.str());
  }
  expect_device({{"input", number("cpu")}, {"other", number("cpu")}}, "cpu", "two numbers");
}

TEST_CASE("a number on an accelerator does not", "[one_device]") {
  expect_refused({{"input", on("cpu")}, {"other", number("sim:0")}},
                 {"\"other\" is on sim:0", "input.to(\"sim:0\")"},
                 "input on cpu, a number on sim:0");
}

TEST_CASE("numbers are passed over in the message", "[one_device]") {
  expect_refused({{"beta", number("cpu")}, {"input", on("sim:0")}, {"mat1", on("cpu")}},
                 {"\"mat1\" is on cpu", "\"input\" is on sim:0", "mat1.to(\"sim:0\")"},
                 "beta is a number, mat1 is on cpu");
}
