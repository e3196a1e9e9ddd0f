// expect: "npu:3" is a device, but it was rejected
// Leaves the work to td::Device and never reads the list of kinds.
#include "exercises.h"

DeviceName parse_device(const std::string& text, const std::vector<std::string>&) {
  const td::Device device(text);
  return {td::device_type_name(device.type()), device.index()};
}
