// Tests of parse_device: machines that are described by a list, so that the result is the same with
// and without a GPU.
#include "check_devices.h"
#include "exercises.h"

namespace {

using Devices = std::vector<td::Device>;

const Devices kOneGpu = {"cpu", "sim:0", "sim:1", "cuda:0"};
const Devices kNoGpu = {"cpu", "sim:0", "sim:1"};
const Devices kFourGpus = {"cpu", "cuda:0", "cuda:1", "cuda:2", "cuda:3"};

std::string listed(const Devices& devices) {
  std::string text;
  for (const td::Device device : devices) text += (text.empty() ? "" : ", ") + device.str();
  return "on a machine with " + text;
}

void expect_device(const std::string& text, const Devices& devices, td::Device expected) {
  const std::string what = '"' + text + "\" " + listed(devices);
  td::Device got = td::kCPU;
  try {
    got = parse_device(text, devices);
  } catch (const td::DeviceError& error) {
    FAIL(what << ": expected " << expected.str() << ", but it was rejected: " << error.what());
  }
  check::expect(got == expected, what + ": expected " + expected.str() + ", got " + got.str());
}

/// @param parts what the message contains besides the text in quotes.
void expect_error(const std::string& text, const Devices& devices, std::vector<std::string> parts) {
  parts.insert(parts.begin(), '"' + text + '"');
  check::expect_throws<td::DeviceError>([&] { parse_device(text, devices); }, parts,
                                        '"' + text + "\" " + listed(devices));
}

std::vector<std::string> names(const Devices& devices) {
  std::vector<std::string> all;
  for (const td::Device device : devices) all.push_back(device.str());
  return all;
}

}  // namespace

TEST_CASE("a device that the machine has is returned", "[parse_device]") {
  for (const Devices& devices : {kOneGpu, kNoGpu, kFourGpus})
    for (const td::Device device : devices) expect_device(device.str(), devices, device);
  Devices many = {"cpu"};
  for (int i = 0; i < 13; ++i) many.emplace_back(td::kSIM, i);
  expect_device("sim:12", many, "sim:12");
}

TEST_CASE("a device that the machine does not have is rejected", "[parse_device]") {
  expect_error("cuda:1", kOneGpu, names(kOneGpu));
  expect_error("cuda:4", kFourGpus, names(kFourGpus));
  expect_error("sim:2", kNoGpu, names(kNoGpu));
  expect_error("cuda:0", kNoGpu, names(kNoGpu));
  expect_error("sim:0", kFourGpus, names(kFourGpus));
  expect_error("cuda:127", kOneGpu, names(kOneGpu));
  const Devices two_digits = {"cpu", "sim:10", "cuda:12"};
  expect_error("sim:1", two_digits, names(two_digits));
  expect_error("cuda:1", two_digits, names(two_digits));
}

TEST_CASE("a kind without an index means the current device of the kind", "[parse_device]") {
  expect_device("cuda", kOneGpu, "cuda");
  expect_device("cuda", kFourGpus, "cuda");
  expect_device("sim", kNoGpu, "sim");
  expect_device("sim", {"cpu", "sim:1", "sim:2"}, "sim");  // sim:0 is not the current device
}

TEST_CASE("a kind that the machine does not have is rejected", "[parse_device]") {
  expect_error("cuda", kNoGpu, names(kNoGpu));
  expect_error("sim", kFourGpus, names(kFourGpus));
}

TEST_CASE("the processor is one device, with two spellings", "[parse_device]") {
  for (const Devices& devices : {kOneGpu, Devices{"cpu"}}) {
    expect_device("cpu", devices, "cpu");
    expect_device("cpu:0", devices, "cpu");
    expect_error("cpu:1", devices, names(devices));
  }
}

TEST_CASE("the list may have any order", "[parse_device]") {
  const Devices mixed = {"cuda:1", "sim:0", "cuda:0", "cpu"};
  for (const td::Device device : mixed) expect_device(device.str(), mixed, device);
  expect_device("cuda", mixed, "cuda");
  expect_device("cpu:0", mixed, "cpu");
  expect_error("cuda:2", mixed, names(mixed));
}

TEST_CASE("text that only looks like a device is rejected", "[parse_device]") {
  for (const std::string text :
       {"gpu", "gpu:0", "cuda0", "cuda:", "cuda:01", "cuda:-1", "CUDA", ""})
    expect_error(text, kOneGpu, {});
}

TEST_CASE("a TPU is rejected with a pointer to its chapter", "[parse_device]") {
  for (const std::string text : {"tpu", "tpu:0", "xla:1"})
    expect_error(text, kOneGpu, {"chapter 10"});
}
