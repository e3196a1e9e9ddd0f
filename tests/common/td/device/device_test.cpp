// Device names and the current device: exact texts, since learners read them.
#include "td/device/device.h"

#include <sstream>
#include <thread>

#include "catch.h"
#include "td/base/error.h"
#include "td/device/stream.h"

using namespace td;

namespace {

std::string parse_error(const char* text) {
  try {
    Device device(text);
    return "parsed as " + device.str();
  } catch (const DeviceError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a device string names kind and index") {
  CHECK(Device("cpu") == Device(kCPU));
  CHECK(Device("cpu").index() == -1);
  CHECK(Device("sim:1") == Device(kSIM, 1));
  CHECK(Device("cuda").has_index() == false);
  CHECK(Device("cuda:99").index() == 99);  // whether it exists is another question
  for (const char* text : {"cpu", "sim", "sim:1", "cuda:0", "cuda:127"}) {
    std::ostringstream out;
    out << Device(text);
    CHECK(out.str() == text);
  }
}

TEST_CASE("a malformed device string is an error that says what to write") {
  const std::string spellings = " Write cpu, sim or sim:0, cuda or cuda:0.";
  CHECK(parse_error("") == "\"\" is not a device." + spellings);
  CHECK(parse_error("mps:0") == "\"mps:0\" is not a device." + spellings);
  CHECK(parse_error(" cpu") == "\" cpu\" is not a device." + spellings);
  CHECK(parse_error("gpu") == "\"gpu\" is not a device; did you mean \"cuda:0\"?" + spellings);
  CHECK(parse_error("CUDA:1") ==
        "\"CUDA:1\" is not a device; did you mean \"cuda:1\"?" + spellings);
  for (const char* text : {"tpu", "xla:0"})
    CHECK(parse_error(text) ==
          '"' + std::string(text) +
              "\" is not a device of tensors here: chapter 10, \"XLA and TPU\", shows how programs "
              "run on XLA devices." +
              spellings);
  for (const char* text : {"cuda:", "cuda:x", "cuda:-1", "cuda:1 ", "cuda:1.5", "cuda:0:1"})
    CHECK(parse_error(text) ==
          '"' + std::string(text) +
              "\" is not a device: after the colon comes an index, as in cuda:0.");
  CHECK(parse_error("sim:01") ==
        "\"sim:01\" is not a device: write the index without leading zeros, as in sim:0.");
  CHECK(parse_error("sim:128") == "\"sim:128\" is not a device: an index is at most 127.");
  CHECK_THROWS_AS(Device("sim:99999999999999999999"), DeviceError);
  CHECK_THROWS_AS(Device(kSIM, -2), DeviceError);
  CHECK_THROWS_AS(Device(kSIM, 128), DeviceError);
}

TEST_CASE("check_device fills in the index and rejects devices that do not exist") {
  CHECK(check_device("cpu").index() == -1);
  CHECK(check_device("cpu:0") == Device(kCPU));
  CHECK(check_device("sim") == Device(kSIM, 0));
  CHECK_THROWS_WITH(check_device("cpu:1"),
                    "there is no cpu:1: the processor is one device; write cpu.");
  CHECK_THROWS_WITH(check_device("sim:9"),
                    "there is no sim:9: this process has 2 sim devices, sim:0 to sim:1. Use one of "
                    "them, or start with TD_SIM_DEVICES=10.");
  CHECK_THROWS_WITH(
      check_device("sim:99"),
      "there is no sim:99: this process has 2 sim devices, sim:0 to sim:1. Use one of "
      "them.");
  if (device_count(kCUDA) == 0)
    CHECK_THROWS_WITH(check_device("cuda:0"), Catch::StartsWith("there is no cuda:0: "));
  else
    CHECK_THROWS_WITH(check_device("cuda:99"),
                      Catch::StartsWith("there is no cuda:99: this process"));
  CHECK(device_count(kCPU) == 1);
  CHECK_FALSE(device_name("cpu").empty());
  CHECK_THAT(device_name("sim:1"), Catch::StartsWith("software accelerator"));
}

TEST_CASE("a device guard changes the current device of its thread until the scope ends") {
  CHECK(current_device(kSIM) == 0);
  {
    const DeviceGuard guard("sim:1");
    CHECK(current_device(kSIM) == 1);
    CHECK(check_device("sim") == Device(kSIM, 1));
    int elsewhere = -1;
    std::thread([&] { elsewhere = current_device(kSIM); }).join();
    CHECK(elsewhere == 0);
    {
      const DeviceGuard inner(kCPU);
      CHECK(current_device(kSIM) == 1);
    }
  }
  CHECK(current_device(kSIM) == 0);
  CHECK_THROWS_AS(DeviceGuard("sim:9"), DeviceError);
  CHECK(current_device(kSIM) == 0);
}
