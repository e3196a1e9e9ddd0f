// Tests of one_device: which argument is reported, with which devices, and which tensors go with
// all devices. The facts of the error are judged, and not its text.
#include "exercises.h"
#include "streams.h"

namespace {

using Arguments = std::vector<Argument>;

td::Tensor on(const td::Device device) { return td::ones({2, 3}, device); }
td::Tensor number(const td::Device device) { return td::tensor(2.0).to(device); }

void expect_device(const Arguments& arguments, const td::Device expected, const std::string& what) {
  td::Device got = td::kCPU;
  try {
    got = one_device(arguments);
  } catch (const td::DeviceError& error) {
    FAIL(what << ": these may be mixed, but an error was thrown: " << error.what());
  }
  check::expect(got == expected, what + ": expected " + expected.str() + ", got " + got.str());
}

/// @param name the argument that must be reported.
void expect_error(const Arguments& arguments, const std::string& name, const td::Device found,
                  const td::Device expected, const std::string& what) {
  try {
    one_device(arguments);
  } catch (const WrongDevice& error) {
    check::expect(error.argument == name, what + ": the error should report \"" + name +
                                              "\"; it reports \"" + error.argument + "\"");
    check::expect(error.found == found, what + ": \"" + name + "\" was found on " + found.str() +
                                            "; the error says " + error.found.str());
    check::expect(error.expected == expected, what + ": \"" + name + "\" was expected on " +
                                                  expected.str() + "; the error says " +
                                                  error.expected.str());
    return;
  } catch (const td::NotDoneYet&) {
    throw;
  } catch (const std::exception& error) {
    FAIL(what << ": expected a WrongDevice, got " << check::type_name(typeid(error)) << ": "
              << error.what());
  }
  FAIL(what << ": an error was expected, none was thrown");
}

}  // namespace

TEST_CASE("arguments that share a device", "[one_device]") {
  for (const td::Device device : check::devices()) {
    expect_device({{"input", on(device)}}, device, "one tensor on " + device.str());
    expect_device({{"input", on(device)}, {"weight", on(device)}, {"bias", on(device)}}, device,
                  "three tensors on " + device.str());
  }
}

TEST_CASE("the argument on the cpu is reported, first or last", "[one_device]") {
  expect_error({{"input", on("cpu")}, {"weight", on("sim:0")}}, "input", "cpu", "sim:0",
               "input on cpu, weight on sim:0");
  expect_error({{"input", on("sim:0")}, {"weight", on("cpu")}}, "weight", "cpu", "sim:0",
               "input on sim:0, weight on cpu");
}

TEST_CASE("two devices of one kind are two devices", "[one_device]") {
  need_two();
  expect_error({{"input", on("sim:0")}, {"weight", on("sim:1")}}, "weight", "sim:1", "sim:0",
               "input on sim:0, weight on sim:1");
  expect_error({{"input", on("sim:1")}, {"weight", on("sim:0")}}, "weight", "sim:0", "sim:1",
               "input on sim:1, weight on sim:0");
}

TEST_CASE("every argument is checked", "[one_device]") {
  expect_error({{"input", on("sim:0")}, {"weight", on("sim:0")}, {"bias", on("cpu")}}, "bias",
               "cpu", "sim:0", "bias alone is on cpu");
  expect_error({{"input", on("cpu")}, {"weight", on("cpu")}, {"bias", on("sim:0")}}, "input", "cpu",
               "sim:0", "bias alone is on sim:0");
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

TEST_CASE("a 0-dimensional tensor on an accelerator is an ordinary argument", "[one_device]") {
  expect_device({{"input", number("sim:0")}, {"other", number("cpu")}}, "sim:0",
                "a number on sim:0 and one on the cpu");
  expect_error({{"input", on("cpu")}, {"other", number("sim:0")}}, "input", "cpu", "sim:0",
               "input on cpu, a number on sim:0");
  need_two();
  expect_error({{"input", on("sim:0")}, {"other", number("sim:1")}}, "other", "sim:1", "sim:0",
               "input on sim:0, a number on sim:1");
}

TEST_CASE("a number on the cpu is not reported", "[one_device]") {
  expect_error({{"beta", number("cpu")}, {"input", on("sim:0")}, {"mat1", on("cpu")}}, "mat1",
               "cpu", "sim:0", "beta is a number, mat1 is on cpu");
}

TEST_CASE("a 1-dimensional tensor of one element, or of none, is not a number", "[one_device]") {
  for (const std::int64_t n : {1, 0}) {
    const auto small = td::empty({n});
    const std::string what = "input on sim:0, bias of sizes [" + std::to_string(n) + "] on cpu";
    expect_error({{"input", on("sim:0")}, {"bias", small}}, "bias", "cpu", "sim:0", what);
    expect_error({{"bias", small}, {"input", on("sim:0")}}, "bias", "cpu", "sim:0",
                 what + ", the other way round");
  }
}

TEST_CASE("the first argument on another device is reported", "[one_device]") {
  need_two();
  expect_error({{"a", on("sim:1")}, {"b", on("sim:1")}, {"c", on("sim:0")}, {"d", on("cpu")}}, "c",
               "sim:0", "sim:1", "a and b on sim:1, c on sim:0, d on cpu");
  expect_error({{"a", on("cpu")}, {"b", on("sim:1")}, {"c", on("sim:0")}}, "a", "cpu", "sim:1",
               "a on cpu, b on sim:1, c on sim:0");
  expect_error({{"a", on("sim:0")}, {"b", on("sim:1")}, {"c", on("sim:1")}}, "b", "sim:1", "sim:0",
               "a on sim:0, b and c on sim:1 (the first one counts, not the majority)");
}

TEST_CASE("no value is read, and the host does not wait", "[one_device]") {
  const td::Stream stream = td::getCurrentStream(td::Device("sim:0"));
  const auto input = on("sim:0"), other = on("sim:0"), scale = number("cpu");
  stream.synchronize();
  Gate gate(stream, 1000);
  const Transfers transfers = transfers_of([&] {
    one_device({{"input", input}, {"other", other}, {"scale", scale}});
    check::expect(!stream.query(),
                  "one_device waited for the work of sim:0; sizes and devices are "
                  "known without it");
    gate.open();
  });
  expect_transfers(transfers, 0, 0, "one_device looks at devices and sizes only");
}
