// What a program sees of cuda on any machine, with or without CUDA in the build: devices are
// counted, a missing device is a clear error, and nothing crashes.
#include <string>

#include "catch.h"
#include "td/base/error.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "td/device/stream.h"

namespace td {
namespace {

std::string refusal(const char* device) {
  try {
    check_device(Device(device));
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("a cuda device that does not exist is an error that says why") {
  const int count = device_count(kCUDA);
  REQUIRE(count >= 0);
  if (count == 0) {
    CHECK(refusal("cuda:0") == "there is no cuda:0: " + backend(kCUDA).unavailable_reason());
    CHECK(refusal("cuda") == "there is no cuda: " + backend(kCUDA).unavailable_reason());
    CHECK(backend(kCUDA).unavailable_reason().find("sim:0") != std::string::npos);
  } else {
    const std::string missing = "cuda:" + std::to_string(kMaxDevices - 1);
    if (count < kMaxDevices)
      CHECK(refusal(missing.c_str()).rfind("there is no " + missing, 0) == 0);
    CHECK(refusal("cuda:0") == "accepted");
  }
}

TEST_CASE("without a GPU, all requests for cuda memory and streams give the same error") {
  if (device_count(kCUDA) > 0) return;
  CHECK_THROWS_AS(allocator(Device(kCUDA, 0)).allocate(16), DeviceError);
  CHECK_THROWS_AS(getStreamFromPool(Device(kCUDA, 0)), DeviceError);
  CHECK_THROWS_AS(set_device(Device(kCUDA, 0)), DeviceError);
  CHECK_THROWS_AS(device_name(Device(kCUDA, 0)), DeviceError);
}

}  // namespace
}  // namespace td
