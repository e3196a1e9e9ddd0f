// Device strings: a device prints as it was written, and every error is a DeviceError.
#include "td/device/device.h"

#include "fuzz.h"
#include "td/base/error.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::Input(data, size).rest();
  fuzz::parses<td::DeviceError>([&] {
    const td::Device device(text);
    fuzz::expect(device.str() == text, "a device prints as it was written");
    fuzz::expect(td::Device(device.str()) == device, "what is printed is the same device");
    const td::Device there = td::check_device(device);
    fuzz::expect(there.type() == device.type(), "checking a device changes no kind");
  });
  return 0;
}
