// The choice of a device, told in one line: a silent fallback would look like a GPU.
#include <iostream>

#include "app/app.h"

namespace app {
namespace {

td::Device automatic() {
  if (td::device_count(td::kCUDA) > 0) {
    std::cout << "device: cuda:0 (" << td::device_name(td::Device(td::kCUDA, 0)) << ")\n";
    return td::Device(td::kCUDA, 0);
  }
  std::cout << "device: sim:0 (no GPU here; the software accelerator takes its place)\n";
  return td::check_device(td::Device(td::kSIM, 0));
}

td::Device named(const std::string& text) {
  const td::Device device = td::check_device(td::Device(text));
  std::cout << "device: " << device << '\n';
  return device;
}

}  // namespace

td::Device choose_device(const Options& options) {
  return options.device == "auto" ? automatic() : named(options.device);
}

std::vector<td::Device> choose_devices(const Options& options) {
  if (options.devices.empty()) return {choose_device(options)};
  std::vector<td::Device> devices;
  for (const auto& text : options.devices) devices.push_back(named(text));
  return devices;
}

}  // namespace app
