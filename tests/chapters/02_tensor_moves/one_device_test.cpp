// Tests of one_device: which argument is named, which call is suggested, and which tensors go with
// any device.
#include <algorithm>

#include "exercises.h"
#include "streams.h"

namespace {

td::Tensor on(td::Device device) { return td::ones({2}, device); }
td::Tensor number(td::Device device) { return td::full({}, 3, device); }

void expect_device(const std::vector<Argument>& arguments, td::Device expected,
                   const std::string& what) {
  td::Device got = td::kCPU;
  try {
    got = one_device("add", arguments);
  } catch (const td::DeviceError& error) {
    FAIL(what << ": these may be mixed, but an error was thrown: " << error.what());
  }
  check::expect(got == expected, what + ": expected " + expected.str() + ", got " + got.str());
}

void expect_error(const std::vector<Argument>& arguments, const std::vector<std::string>& parts,
                  const std::string& what) {
  check::expect_throws<td::DeviceError>([&] { one_device("linear", arguments); }, parts, what);
  std::string message;
  try {
    one_device("linear", arguments);
  } catch (const td::DeviceError& error) {
    message = error.what();
  }
  std::size_t calls = 0;
  for (std::size_t at = message.find(".to("); at != std::string::npos;
       at = message.find(".to(", at + 1))
    ++calls;
  check::expect(calls == 1, what +
                                ": the message should suggest one call, that of the argument "
                                "that moves; it is: " +
                                message);
  for (const auto& argument : arguments) {
    const std::string name = '"' + argument.name + '"';
    if (std::find(parts.begin(), parts.end(), name) == parts.end()) {
      check::expect(
          message.find(name) == std::string::npos,
          what + ": " + name + " has nothing to do with the error; the message is: " + message);
      continue;
    }
    const std::string where = name + " is on " + argument.tensor.device().str();
    check::expect(
        message.find(where) != std::string::npos,
        what + ": the message should say where the argument is, " + where + "; it is: " + message);
  }
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
  expect_error({{"input", on("cpu")}, {"weight", on("sim:0")}},
               {"linear", "\"weight\"", "\"input\"", "sim:0", "cpu", "input.to(\"sim:0\")"},
               "input on cpu, weight on sim:0");
}

TEST_CASE("the suggested call leads to the accelerator", "[one_device]") {
  expect_error({{"input", on("sim:0")}, {"weight", on("cpu")}},
               {"\"weight\"", "\"input\"", "cpu", "weight.to(\"sim:0\")"},
               "input on sim:0, weight on cpu");
}

TEST_CASE("two devices of one kind are two devices", "[one_device]") {
  if (td::device_count(td::kSIM) < 2) check::skip("needs two sim devices: TD_SIM_DEVICES=2");
  expect_error({{"input", on("sim:0")}, {"weight", on("sim:1")}},
               {"\"weight\"", "sim:1", "\"input\"", "sim:0", "weight.to(\"sim:0\")"},
               "input on sim:0, weight on sim:1");
}

TEST_CASE("every argument is checked", "[one_device]") {
  expect_error({{"input", on("sim:0")}, {"weight", on("sim:0")}, {"bias", on("cpu")}},
               {"\"bias\"", "\"input\"", "sim:0", "cpu", "bias.to(\"sim:0\")"},
               "bias alone is on cpu");
}

TEST_CASE("a 0-dimensional tensor on the cpu may be used with any device", "[one_device]") {
  for (const td::Device device : check::devices()) {
    expect_device({{"input", on(device)}, {"other", number("cpu")}}, device,
                  device.str() + " and a number on the cpu");
    expect_device({{"input", number("cpu")}, {"other", on(device)}}, device,
                  "a number on the cpu and " + device.str());
  }
  expect_device({{"input", number("cpu")}, {"other", number("cpu")}}, "cpu", "two numbers");
}

TEST_CASE("a 0-dimensional tensor on an accelerator may not be mixed with cpu", "[one_device]") {
  expect_error({{"input", on("cpu")}, {"other", number("sim:0")}},
               {"\"other\"", "\"input\"", "sim:0", "cpu", "input.to(\"sim:0\")"},
               "input on cpu, a number on sim:0");
}

TEST_CASE("a 0-dimensional tensor on an accelerator is an ordinary argument", "[one_device]") {
  expect_device({{"input", number("sim:0")}, {"other", number("cpu")}}, "sim:0",
                "a number on sim:0 and one on the cpu");
  expect_error({{"beta", number("sim:0")}, {"input", on("cpu")}},
               {"\"input\"", "\"beta\"", "cpu", "sim:0", "input.to(\"sim:0\")"},
               "beta, a number on sim:0, and input on cpu");
}

TEST_CASE("the message has the name of the operation", "[one_device]") {
  check::expect_throws<td::DeviceError>(
      [] {
        one_device("addmm", {{"input", on("cpu")}, {"mat1", on("sim:0")}});
      },
      {"addmm"}, "the operation addmm with input on cpu and mat1 on sim:0");
}

TEST_CASE("the message skips 0-dimensional tensors", "[one_device]") {
  expect_error({{"beta", number("cpu")}, {"input", on("sim:0")}, {"mat1", on("cpu")}},
               {"\"mat1\"", "\"input\"", "cpu", "sim:0", "mat1.to(\"sim:0\")"},
               "beta is a number, mat1 is on cpu");
}

TEST_CASE("a 1-dimensional tensor of one element, or of none, is not a number", "[one_device]") {
  for (const std::int64_t n : {1, 0}) {
    const auto small = td::empty({n});
    const std::string what = "input on sim:0, bias of sizes [" + std::to_string(n) + "] on cpu";
    expect_error({{"input", on("sim:0")}, {"bias", small}},
                 {"\"bias\"", "\"input\"", "bias.to(\"sim:0\")"}, what);
    expect_error({{"bias", small}, {"input", on("sim:0")}},
                 {"\"bias\"", "\"input\"", "bias.to(\"sim:0\")"}, what + ", the other way round");
  }
}

TEST_CASE("the first argument on another device is reported", "[one_device]") {
  need_two();
  expect_error({{"a", on("sim:1")}, {"b", on("sim:1")}, {"c", on("sim:0")}, {"d", on("cpu")}},
               {"\"c\"", "\"a\"", "sim:0", "sim:1", "c.to(\"sim:1\")"},
               "a and b on sim:1, c on sim:0, d on cpu");
}

TEST_CASE("no value is read, and the host does not wait", "[one_device]") {
  const td::Stream stream = td::getCurrentStream(td::Device("sim:0"));
  const auto input = on("sim:0"), other = on("sim:0"), scale = number("cpu");
  stream.synchronize();
  Gate gate(stream, 1000);
  const Transfers transfers = transfers_of([&] {
    one_device("add", {{"input", input}, {"other", other}, {"scale", scale}});
    check::expect(!stream.query(),
                  "one_device waited for the work of sim:0; sizes and devices are "
                  "known without it");
    gate.open();
  });
  expect_transfers(transfers, 0, 0, "one_device looks at devices and sizes only");
}
