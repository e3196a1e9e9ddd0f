// expect: wishes {sim}: expected sim:1, got sim:0
// Takes "sim" for sim:0. That is true until the program makes another device current.
#include <ostream>

#include "exercises.h"

td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  for (const auto& wish : wishes) (void)td::Device(wish);
  for (const auto& wish : wishes) {
    const td::Device device(wish);
    try {
      td::Device found = td::check_device(device);
      if (!device.is_cpu() && !device.has_index()) found = td::Device(device.type(), 0);
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError& error) {
      log << wish << ": " << error.what() << '\n';
    }
  }
  log << "using cpu\n";
  return td::Device("cpu");
}
