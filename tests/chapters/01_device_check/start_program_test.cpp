// Tests of start_program: the source of the choice, what is left over, the current device, the log,
// and the errors. The environment is the test's own.
#include "check_devices.h"
#include "exercises.h"
#include "log_lines.h"
#include "td/device/stream.h"

namespace {

using Arguments = std::vector<std::string>;

/// Makes sim:0 current until the end of the scope, and restores the earlier devices.
struct Fresh {
  Fresh() {
    if (td::device_count(td::kSIM) < 2) check::skip("needs two sim devices: TD_SIM_DEVICES=2");
  }
  td::DeviceGuard guard{td::Device("sim:0")};
};

struct Outcome {
  Start start;
  std::string log, call;
  int current;  ///< the index of the current sim device before the call

  std::string last_line() const {
    const auto all = lines(log);
    return all.empty() ? "" : all.back();
  }
};

std::string joined(const Arguments& arguments, const std::string& variable) {
  std::string text = "arguments {";
  for (const auto& argument : arguments) text += ' ' + argument;
  return text + " }, TD_DEVICE=\"" + variable + '"';
}

Environment with(const std::string& value) {
  return [value](const std::string& variable) { return variable == "TD_DEVICE" ? value : ""; };
}

Outcome start(const Arguments& arguments, const std::string& variable = "") {
  std::ostringstream log;
  const std::string call = joined(arguments, variable);
  const int current = td::current_device(td::kSIM);
  try {
    const Start started = start_program(arguments, with(variable), log);
    return {started, log.str(), call, current};
  } catch (const td::DeviceError& error) {
    FAIL(call << ": no error was expected, but this was thrown: " << error.what());
  }
  return {{td::kCPU, {}}, "", "", current};
}

void expect_start(const Arguments& arguments, const std::string& variable, td::Device device,
                  const Arguments& rest, const std::string& source) {
  const Outcome got = start(arguments, variable);
  check::expect(got.start.device == device,
                got.call + ": expected " + device.str() + ", got " + got.start.device.str() +
                    "; the current sim device was sim:" + std::to_string(got.current));
  check::expect(got.start.rest == rest, got.call +
                                            ": expected to be left over: " + joined(rest, "") +
                                            ", got: " + joined(got.start.rest, ""));
  for (const std::string& part : {device.str(), td::device_name(device), source})
    check::expect(
        contains(got.last_line(), part),
        got.call + ": the last line of the log contains \"" + part + "\"; the log is:\n" + got.log);
  const std::string other = source == "--device" ? "TD_DEVICE" : "--device";
  check::expect(source == "auto" || !contains(got.last_line(), other),
                got.call + ": the last line of the log names only the source that was used, " +
                    source + "; the log is:\n" + got.log);
}

void expect_error(const Arguments& arguments, const std::string& variable, const Arguments& parts) {
  std::ostringstream log;
  check::expect_throws<td::DeviceError>([&] { start_program(arguments, with(variable), log); },
                                        parts, joined(arguments, variable));
}

td::Device automatic() { return td::check_device(td::preferred_accelerator()); }

}  // namespace

TEST_CASE("the option sets the device, in both forms", "[start_program]") {
  const Fresh fresh;
  expect_start({"--device", "sim:1"}, "", "sim:1", {}, "--device");
  expect_start({"--device=sim:1"}, "", "sim:1", {}, "--device");
  expect_start({"--device", "cpu"}, "", "cpu", {}, "--device");
}

TEST_CASE("the other arguments are left over, in their order", "[start_program]") {
  const Fresh fresh;
  expect_start({"--epochs", "3", "--device=sim:1"}, "", "sim:1", {"--epochs", "3"}, "--device");
  expect_start({"--device", "sim:0", "data", "--seed=1"}, "", "sim:0", {"data", "--seed=1"},
               "--device");
  expect_start({"train", "--device", "cpu", "again"}, "", "cpu", {"train", "again"}, "--device");
}

TEST_CASE("options that only begin like it are left over", "[start_program]") {
  const Fresh fresh;
  expect_start({"--devices=sim:0,sim:1", "--device", "sim:1", "--devices", "x", "--device-log=f"},
               "", "sim:1", {"--devices=sim:0,sim:1", "--devices", "x", "--device-log=f"},
               "--device");
}

TEST_CASE("arguments that repeat, are empty or only end like it are left over", "[start_program]") {
  const Fresh fresh;
  const Arguments rest = {"", "-v", "-v", "no--device=sim:0", "-device=sim:0"};
  Arguments all = rest;
  all.insert(all.begin() + 2, "--device=sim:1");
  expect_start(all, "", "sim:1", rest, "--device");
}

TEST_CASE("of repeated options the last one is used", "[start_program]") {
  const Fresh fresh;
  expect_start({"--device", "sim:0", "--device=sim:1"}, "", "sim:1", {}, "--device");
  expect_start({"--device=gpu", "--device", "sim:1"}, "", "sim:1", {}, "--device");
  expect_start({"--device=sim:99", "--device", "auto"}, "", automatic(), {}, "auto");
}

TEST_CASE("without an option the variable is used", "[start_program]") {
  const Fresh fresh;
  expect_start({}, "sim:1", "sim:1", {}, "TD_DEVICE");
  expect_start({"x"}, "cpu", "cpu", {"x"}, "TD_DEVICE");
}

TEST_CASE("with an option the variable is not used", "[start_program]") {
  const Fresh fresh;
  expect_start({"--device=sim:0"}, "sim:1", "sim:0", {}, "--device");
  expect_start({"--device=sim:0"}, "gpu", "sim:0", {}, "--device");
  expect_start({"--device=auto"}, "cpu", automatic(), {}, "auto");
}

TEST_CASE("without option and variable the device is auto", "[start_program]") {
  const Fresh fresh;
  expect_start({}, "", automatic(), {}, "auto");
  expect_start({}, "auto", automatic(), {}, "auto");
  expect_start({"--device", "auto"}, "", automatic(), {}, "auto");
}

TEST_CASE("a kind without index, and auto, mean the current device", "[start_program]") {
  const Fresh fresh;
  const td::DeviceGuard guard(td::Device("sim:1"));
  expect_start({"--device=sim"}, "", "sim:1", {}, "--device");
  expect_start({}, "sim", "sim:1", {}, "TD_DEVICE");
  expect_start({}, "", automatic(), {}, "auto");
}

TEST_CASE("the device becomes the current one", "[start_program]") {
  const Fresh fresh;
  start({"--device=sim:1"});
  check::expect(td::current_device(td::kSIM) == 1,
                "after --device=sim:1, sim:1 should be the current sim device: see td::set_device");
  start({}, "sim:0");
  check::expect(td::current_device(td::kSIM) == 0,
                "after TD_DEVICE=sim:0, sim:0 should be the current sim device");
  start({"--device=sim:1"});
  start({"--device=cpu"});
  check::expect(td::current_device(td::kSIM) == 1,
                "--device=cpu should leave sim:1 the current sim device");
}

TEST_CASE("a missing device from the variable is replaced and logged", "[start_program]") {
  const Fresh fresh;
  for (const std::string name : {"sim:99", "cuda:127"}) {
    std::string reason;
    try {
      td::check_device(name);
    } catch (const td::DeviceError& error) {
      reason = error.what();
    }
    expect_start({"x"}, name, automatic(), {"x"}, "auto");
    const Outcome got = start({}, name);
    bool logged = false;
    for (const auto& line : lines(got.log))
      logged =
          logged || (contains(line, "TD_DEVICE") && contains(line, name) && contains(line, reason));
    check::expect(logged, got.call + ": a line of the log should contain TD_DEVICE, " + name +
                              " and the reason, \"" + reason + "\"; the log is:\n" + got.log);
  }
}

TEST_CASE("a missing device from the option is an error", "[start_program]") {
  const Fresh fresh;
  expect_error({"--device=sim:99"}, "", {"sim:99"});
  expect_error({"--device", "cuda:127"}, "sim:0", {"cuda:127"});
}

TEST_CASE("text that is not a device is an error that names its source", "[start_program]") {
  const Fresh fresh;
  expect_error({"--device=gpu"}, "", {"\"gpu\"", "--device"});
  expect_error({"--device", "sim0"}, "sim:0", {"\"sim0\"", "--device"});
  expect_error({"--device="}, "", {"\"\"", "--device"});
  expect_error({}, "gpu", {"\"gpu\"", "TD_DEVICE"});
  expect_error({"--device", "--epochs"}, "", {"\"--epochs\"", "--device"});
}

TEST_CASE("an option without its value is an error", "[start_program]") {
  const Fresh fresh;
  expect_error({"--device"}, "", {"--device"});
  expect_error({"x", "--device=sim:0", "--device"}, "sim:0", {"--device"});
}

TEST_CASE("after an error the current device is unchanged", "[start_program]") {
  const Fresh fresh;
  const td::DeviceGuard guard(td::Device("sim:1"));
  for (const Arguments& arguments : {Arguments{"--device=sim:99"}, Arguments{"--device=gpu"},
                                     Arguments{"--device=sim:0", "--device"}}) {
    std::ostringstream log;
    try {
      start_program(arguments, with(""), log);
    } catch (const td::DeviceError&) {
    }
    check::expect(td::current_device(td::kSIM) == 1,
                  joined(arguments, "") +
                      ": sim:1 was the current sim device before the error, and is not afterwards");
  }
}
